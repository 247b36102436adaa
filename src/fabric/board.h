// What one rank shows to the other ranks of one communicator, in memory that all of them map: a head for each of its
// last few operations, counters for what goes on inside an operation, and room for small payloads.
//
// Everything here is written by the owner alone and read by the others, but for what two ranks swap (Window::slot,
// fabric/batons.h). Numbers only grow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/op.h"
#include "base/signal.h"
#include "fabric/batons.h"

namespace xcoll {

// Operations of one communicator that may be in flight at once, and by how many a root of small broadcasts may be ahead
// of who receives them; a power of two. Where data go one way, each wait for credit pays for more (fabric/run_ahead.h),
// and with more ranks than processors each turn on one: on a Xeon broadcasts of 8 bytes from one root among 8 ranks on
// two cores take 0.6 of the time with 16 cells instead of 8, 0.4 with 32 and 0.27 with 64, and scans 0.57, 0.4 and
// 0.34.
inline constexpr uint64_t cell_count = 64;
// Payloads up to this size lie in one of two slots of the board, rewritten at every second operation: under one L3 two
// slots that stay in the cache beat any ring up to 4 KiB.
inline constexpr size_t slot_bytes = 4096;
inline constexpr uint64_t slot_count = 2;
// Communicators of two ranks have wide slots, as far as the budget goes (node.h): theirs are swapped, so longer ones
// pay as well, and reductions above that go through them in blocks of a quarter.
constexpr size_t room_of_wide_slots(size_t slot) {
    return slot_count * slot + baton_bytes;
}
inline constexpr size_t line_bytes = 64;
// Two lines, less what every head has: processors fetch both at once. Across two L3s of a Zen 4 a broadcast of 64 bytes
// takes 0.19 us so, and 0.28 with the payload in a slot.
inline constexpr size_t inline_bytes = 88;

// Whether peers may use the owner's own buffers where they lie (coll/lending.h), and how `place` tells where that is.
enum class Lent : uint8_t {
    no,
    offset,  // in the owner's segment: the symmetric heap
    address, // in the owner's process
};

// One message: what the owner called, and its data or where they are. Valid for operation n when number == n.
//
// Where the data are follows from their size: up to inline_bytes in the head itself, so that one line carries call,
// flag and the first 32 bytes, and the next one the rest; up to slot_bytes in the slot of this operation; above that
// where `place` says, which may be in the owner's own buffer (coll/lending.h).
struct Head {
    Signal number;
    Fingerprint call; // here in every head, whatever the operation
    uint8_t lag;      // the owner had completed all operations up to number - 1 - lag
    uint8_t has_room; // a bit of an agreed choice: the owner found room for its payload or blocks
    uint8_t inlined;  // bytes of a short stream that lie behind place.base, instead of where `place` says
    Lent lent;
    uint8_t flows;  // of a stream: it comes in so many chunks if it fits the area, or in others, and not at once: the
                    // cell's `in` tells how much of it is there
    uint8_t listed; // of a stream that is lent: `place` tells where a list of its pieces lies (coll/lent_list.h)
    uint8_t asks;   // its readers, what copying the payload costs them (Board::told)
    uint8_t turns;  // of a stream that flows through the slots: see coll/streams_turns.cpp; else 0
    struct Place {
        uint64_t base;   // what the cell's counters stood at when the operation began
        uint64_t offset; // of the payload or of the area, in the owner's segment; 0: the slot; or a baton
        union {
            uint64_t area; // bytes of the area, where readers cannot know
            uint64_t send; // of a reduction: where the owner's input is, if it is lent
        };
        union {
            uint64_t total; // bytes that go through the area
            uint64_t recv;  // where the owner's result is, if it is lent
        };
    };
    union {
        Place place;
        unsigned char bytes[inline_bytes];
    };
};
// Of those, in its first line.
inline constexpr size_t first_line_bytes = sizeof(Head::Place);
static_assert(offsetof(Head, bytes) + first_line_bytes == line_bytes);
inline constexpr size_t inline_stream_bytes = first_line_bytes - sizeof(Head::Place::base);

// The head and, for operations in several steps, three counters on lines of their own: each is polled by the peers at
// another time than it is written. Who has written input has a place in the head, and nothing in its second line.
struct Cell {
    alignas(line_bytes) Head head;
    Signal in;                       // blocks of input that the owner has written
    alignas(line_bytes) Signal out;  // blocks of results that the owner has written
    alignas(line_bytes) Signal used; // blocks of all peers that the owner has read and will not read again
};
static_assert(sizeof(Cell) == 4 * line_bytes && offsetof(Cell, in) / line_bytes == 1);

// What a rank tells its peers when it gives up on the communicator: they stop waiting for it.
struct alignas(line_bytes) Farewell {
    std::atomic<uint32_t> result{0}; // an xcoll_result_t; written last, with release
    int32_t rank = -1;               // at fault; that of who gave up if it blames nobody
    int32_t first = -1;              // who gave up in these words; its peers pass them on
    char reason[180] = {};           // NUL-terminated
};

// What copying the payload of operation `number` has cost a reader that its writer had asked.
struct alignas(uint64_t) Told {
    uint32_t number; // the low bits
    uint16_t writer;
    uint16_t cost; // of a line, in sixteenths of a tick

    static constexpr uint64_t part_of_tick = 16;
};
static_assert(std::atomic<Told>::is_always_lock_free);

struct Board {
    // Tells one use of this memory from the next: peers of a freed communicator must not take its successor's
    // numbers for its own.
    alignas(line_bytes) std::atomic<uint64_t> generation{0};
    // All operations up to this number are completed here: nothing of them will be read any more. all_done: freed.
    alignas(line_bytes) Signal done;
    // Beside what the writer looks at anyway. Only one of those that have asked in an operation is told.
    std::atomic<Told> told;
    alignas(line_bytes) Signal directory; // where the owner's lanes are (fabric/lane.h)
    Signal post;                          // where those of its users' messages are (fabric/post_lane.h)
    Farewell farewell;
    // Not 0: the owner uses memory that a peer lends and that is no part of a segment (fabric/visit.h).
    alignas(line_bytes) std::atomic<uint32_t> visiting{0};
    // Where the owner's wide slots and the baton behind them lie in its segment, 0: there are none. Written before
    // peers hear of the board.
    // A rank that fails to make the window takes them back while a peer may look.
    std::atomic<uint64_t> wide_slots{0};
    // Of operation n, if so many cells are used. In each eight of them the two halves take turns: where a load goes the
    // same way from one operation to the next, processors fetch what lies another step on, and so take the line of the
    // next head from its writer, who is about to write there. On a Xeon an allreduce of 8 bytes takes 0.15 us like
    // that, and 0.18 with cells in a row.
    static constexpr uint64_t cell_of(uint64_t n, uint64_t cells) {
        constexpr uint64_t turn = 8, half = turn / 2;
        return (n & (cells - 1) & ~(turn - 1)) + n % 2 * half + n / 2 % half;
    }
    Cell cells[cell_count];
    alignas(line_bytes) unsigned char slots[slot_count][slot_bytes];
};
// Boards begin with a pair of lines, so that a head lies in two: Xeons fetch pairs, and whoever looks at the first line
// would take the second one, too, while it is written. An all-to-all of 64 bytes takes 0.19 us like this, and 0.25 with
// heads that fill a pair.
static_assert(offsetof(Board, cells) / line_bytes % 2 == 1);
inline constexpr uint64_t all_done = ~uint64_t{0} / 2;

} // namespace xcoll

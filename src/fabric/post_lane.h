// Messages that users send, from one rank to another: a ring of lines in memory of the sender, each of which tells one
// thing. What does not fit into a line lies in the place beside it; what does not fit there lies in a block, or, where
// there is none, in a ring of bytes. Made when the first message is sent.
//
//     sender     write line i | line i's number = i + 1       only if i - taken < post_lines
//     receiver                        read line i | taken >= i + 1        only if line i's number == i + 1
//
// Numbers and `taken` only grow and have one writer each. Line i lies where line i - post_lines lay, whose number is
// smaller, so the receiver does not take one for the other. It reads a line, and the payload that the line tells of,
// after it saw the number: all of it was written before. The sender rewrites them after it saw that they were taken:
// all of it was read before. Each store releases and each load acquires, so this holds on every processor. The place
// beside line i is the line's as if it were a part of it. The bytes of line i in the ring are free again when
// taken > i, in the order of the lines.
//
// A block (post_blocks.h) has one holder, and only its holder writes there, one piece of a message behind another. It
// leaves with the line that tells of the last of them, and is the receiver's when that line's payload is read. The
// receiver gives a block of the sender's back, which the sender knows from taken > i; or it keeps the block for a line
// of its own, and says so before, in the bit of line i in `kept`. The sender looks at the bit after it saw taken > i,
// and before it writes line i + post_lines, with which alone the receiver changes it. A block of the receiver's that
// comes with a line is home again.
//
// What the lines tell makes a message small or large:
//
//     small    letter, more, more, ...                   its sender does not wait for the receiver
//     large    offer; the receiver answers, when a receive asks for it, through its own lane:
//                  go:   then more, more, ...
//                  over: it has copied the message itself (ranks of one process, or by the kernel from another one),
//                        or does not want it
//                  declined: nobody will, as the group of calls that would have received it was refused
//     withheld  in place of a message: the group of calls that would have sent it was refused
//
// The receiver takes every line that comes, whatever it tells, without waiting for anything: an offer is noted, bytes
// that go on with a message go where the message goes, and a letter that nobody asks for yet is put aside. So a line
// never stands in the way of another, and messages get through in any order. What is aside is bounded by the sender: it
// sends no more letters than post_credit bytes beyond those that were asked for (`claimed`), and makes offers of the
// others. An offer costs the receiver a note, and the sender has that much memory in the send itself.
//
// So sends and receives that were all started come to an end, whatever their sizes and their order, as long as the
// ranks make progress: a lane of which something is awaited is emptied, so it has room; so every message's letter or
// offer arrives, in the order of the sends; the receive that it is for is found; if that one came to an offer, the
// answer goes through a lane that the sender of the offer empties, since it awaits the answer; then the bytes go
// through a lane that the receiver empties, since it awaits the bytes. Nothing in this chain waits for another message.
#pragma once

#include <algorithm>
#include <atomic>

#include "fabric/board.h"
#include "fabric/lane.h"

namespace xcoll {

inline constexpr uint64_t post_lines = 32; // as many as `kept` has bits
inline constexpr size_t post_ring_bytes = 16 * 1024;
// The most that a short message has, and that lies in the ring for any line: the receiver copies it out while the
// sender copies in the next.
inline constexpr size_t post_piece = 2048;
// Small messages: their senders wait for nobody, so two ranks may both send first. Asking first costs 64 KiB there and
// back 5 % more on a Xeon, and with four or eight ranks on two processors 20 to 40 %, as each step waits for one of
// those. 128 KiB would gain as much with two and four ranks, nothing with eight, and more would lie aside.
inline constexpr size_t post_letter = 64 * 1024;
inline constexpr uint64_t post_credit = 256 * 1024;

struct alignas(2 * line_bytes) PostLine {
    enum class What : uint8_t { letter, offer, more, go, over, withheld, declined };
    // In the second cache line, which processors fetch with the first: 64 bytes there and back take 0.52 us on a Xeon,
    // and 0.62 where they lie elsewhere.
    static constexpr size_t room = 104;
    // The most that lies beside a line. Its receiver knows where before the line has come, and a processor that looks
    // ahead fetches both at once: on a Zen 5 256 bytes there and back take 0.20 us under one L3 and 0.76 across two,
    // and 0.23 and 0.89 in a block, of which the line tells; 960 bytes took as long in both.
    static constexpr size_t room_beside = 512;

    // Where a longer payload lies: in the lane's ring, or in a block of one of both, in whose segment that is.
    enum class Where : uint8_t { ring, block_of_sender, block_of_receiver };

    Signal number;
    What what;
    Where where; // if bytes > room_beside
    int32_t tag;
    uint32_t message; // which one of those from this sender; for answers: of those from the other
    uint32_t bytes;   // of payload that come with this line
    struct Elsewhere {
        uint64_t total;      // bytes of the message
        uint64_t offset;     // of the payload, in the segment that `where` tells
        uint64_t block;      // that is the receiver's when it has read the payload, 0: none
        const char *address; // of the whole message, if the receiver can copy it itself; offers only
    };
    union {
        unsigned char inside[room]; // payloads up to this size
        Elsewhere elsewhere;        // where those are that do not fit beside
    };
    bool is_elsewhere() const {
        return bytes > room_beside;
    }
    size_t total() const {
        return what == What::offer || is_elsewhere() ? elsewhere.total : bytes;
    }
};
static_assert(sizeof(PostLine) == 2 * line_bytes);

// The block that a message is on its way through: its sender goes on in it.
struct PostOpenBlock {
    uint64_t offset = 0; // 0: there is none
    size_t used = 0;
    PostLine::Where where = PostLine::Where::ring;
    bool is_near = false; // as in PostBlock
};

struct PostLane {
    PostLine lines[post_lines];
    // ---- written by the receiver
    alignas(line_bytes) Signal taken;
    Signal claimed;             // weight of the letters that receives have asked for
    std::atomic<uint32_t> kept; // by line
    // Taking back a buffer that the receiver may be reading (Post::cancel_all, Post::copy_from):
    //     receiver   reading = 1; if (!revoked) copy a piece, look again, ...; reading = 0
    //     sender     revoked = 1; wait until reading == 0
    // In the one order of these stores and loads, all sequentially consistent, either the receiver sees the revocation
    // or the sender sees the reading; and one who reads looks again soon. Who reads from another process does no harm,
    // so nobody waits for it: it looks behind the copy, and forgets the message if the sender has taken it back. A
    // fence on either side keeps what the sender writes then behind its store, and the look behind the copy.
    std::atomic<uint32_t> reading;
    // ---- written by the sender
    alignas(line_bytes) std::atomic<uint32_t> revoked;
    alignas(line_bytes) unsigned char beside[post_lines][PostLine::room_beside];
    alignas(line_bytes) unsigned char ring[post_ring_bytes];
};

// A letter of no bytes takes memory as well.
inline uint64_t post_weight(size_t bytes) {
    return std::max(bytes, line_bytes);
}

// Where the lanes of a board's owner are (lane.h has the directory and says why the generation is in it). 0: there are
// none yet.
inline uint64_t post_directory_none(const Board &board) {
    return directory_value(board.generation.load(std::memory_order_acquire), 0);
}
inline uint64_t post_directory(const Board &board) {
    const uint64_t value = board.post.read();
    const uint64_t none = post_directory_none(board);
    return value > none ? value - none : 0;
}

} // namespace xcoll

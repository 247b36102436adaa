// Messages from one rank to another through memory of the sender: a ring of chunks, made when the first message is
// sent.
//
//     sender     write chunk i | sent = i + 1                  only if i - taken < lane_slots (data: one less)
//     receiver                              read chunk i | taken = i + 1          only if sent > i
//
// Both counters only grow and have one writer each. The receiver reads chunk i after it saw sent > i, so all of the
// chunk was written before. The sender rewrites the slot of chunk i (for chunk i + lane_slots) after it saw taken > i,
// so the receiver has read all of it. Each counter's store releases and its load acquires, so this holds on every
// processor. Neither side waits: who finds the lane full (empty) comes back later. Data leaves the last slot free, so
// that a sender which leaves an operation can say so at once; it may not come back soon.
#pragma once

#include "fabric/board.h"
#include "fabric/transport.h"

namespace xcoll {

// The receiver can be a whole ring behind without stopping the sender; 36 KiB in all.
inline constexpr uint64_t lane_slots = 8;
inline constexpr size_t lane_chunk = 4096;
inline constexpr uint64_t lane_data_slots = lane_slots - 1;

// In front of every chunk.
struct alignas(line_bytes) ChunkHead {
    enum class Mark : uint32_t {
        first, // a message of `total` bytes begins
        next,  // it goes on
        left,  // no message: the sender has left the operation with an error. Also amid a message of another one
    };
    Envelope envelope;
    uint64_t total;
    uint32_t bytes; // in this chunk
    Mark mark;
};

struct Lane {
    alignas(line_bytes) Signal sent;  // written by the sender
    alignas(line_bytes) Signal taken; // written by the receiver
    ChunkHead heads[lane_slots];
    alignas(line_bytes) unsigned char chunks[lane_slots][lane_chunk];
};

// Where the lanes of one sender are: offsets in its segment by receiver, 0 where there is none yet. A signal of the
// sender's board tells where this is.
struct LaneDirectory {
    static size_t bytes(int ranks) {
        return static_cast<size_t>(ranks) * sizeof(Signal);
    }
    static Signal &lane(char *directory, int receiver) {
        return reinterpret_cast<Signal *>(directory)[receiver];
    }
};

// Boards are used again by later communicators, and a value that an earlier one left must not be taken for this one's:
// so it carries the generation of the board. It still only grows.
inline constexpr int directory_offset_bits = 40;
inline uint64_t directory_value(uint64_t generation, uint64_t offset) {
    return generation << directory_offset_bits | offset;
}
// 0: there is none yet.
inline uint64_t directory_offset(const Board &board) {
    const uint64_t value = board.directory.read();
    const uint64_t none = directory_value(board.generation.load(std::memory_order_acquire), 0);
    return value > none ? value - none : 0;
}

} // namespace xcoll

// Memory through which a rank sends what does not fit into a line, whoever it is for: blocks, one for each piece. Who
// reads a piece keeps its block for his own next one to its sender, as two ranks do with batons (batons.h):
//
//     rank 0   writes a |         | reads a | writes a
//     rank 1            | reads a | writes a |         | reads a
//
// So where messages go both ways, each rank writes lines that it read last, which are in its own cache. On a Xeon two
// ranks that exchange 4 KiB take 0.7 us like that in a bare loop and 1.3 where each rewrites what the other has read,
// 16 KiB 2.1 and 3.0, 256 KiB 24 and 31 to 38; there and back 4 KiB take 1.55 and 1.9, 256 KiB 36 and 37 to 49.
//
// Who only reads keeps as many as keeps(), and lets the others go back at once. Blocks are handed out in the order in
// which those came back, so that each is rewritten as late as possible: rewriting a line that a peer has just read
// costs 6 ns under one L3 and 27 ns across two; one that the peer's cache has dropped costs 0.7. But one that came home
// with a message is first.
//
// One pool for all peers, since only their number times its size would have to be small. Blocks that a slow peer holds
// are no obstacle for others: without a block a message goes on through the ring of its lane.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/window.h"

namespace xcoll {

class PostBlocks {
public:
    static constexpr uint64_t none = 0;
    static constexpr size_t block_bytes = 16 * 1024;

    // Half of what the payload ring has, which follows the budget. Without memory for it there are no blocks.
    void open(Window &window) {
        const size_t count = PostBlocks::count(window);
        uint64_t first = none;
        try {
            free_.resize(count);
            first = window.take_memory(count * block_bytes);
        } catch (...) {
            free_.clear();
            is_open_ = true;
            return;
        }
        for (size_t i = 0; i < count; ++i) {
            free_[i] = first + i * block_bytes;
        }
        newest_ = count;
        is_open_ = true;
    }
    bool is_open() const {
        return is_open_;
    }
    bool empty() const {
        return oldest_ == newest_;
    }
    // How many blocks of one peer a rank keeps: all of them together at most half of what that one has. All ranks have
    // as many.
    static size_t keeps(const Window &window) {
        const auto peers = static_cast<size_t>(std::max(window.size() - 1, 1));
        return count(window) / 2 / peers;
    }
    // The offset of a block in the owner's segment, or none.
    uint64_t take() {
        return empty() ? none : free_[oldest_++ % free_.size()];
    }
    void give(uint64_t block) {
        free_[newest_++ % free_.size()] = block;
    }
    // One that has just been read here.
    void give_first(uint64_t block) {
        free_[--oldest_ % free_.size()] = block;
    }

private:
    static size_t count(const Window &window) {
        return window.node().ring().bytes() / 2 / block_bytes;
    }

    std::vector<uint64_t> free_; // as a ring: oldest_ .. newest_ - 1
    size_t oldest_ = 0, newest_ = 0;
    bool is_open_ = false;
};

} // namespace xcoll

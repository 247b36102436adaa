// Memory through which a rank streams its messages of more than one piece, whoever they are for: blocks that are handed
// out in the order in which they came back, so that each is rewritten as late as possible. Rewriting a line that a peer
// has just read costs 6 ns under one L3 and 27 ns across two; one that the peer's cache has dropped costs 0.7.
//
// One pool for all peers, since only their number times its size would have to be small. Blocks that a slow peer holds
// are no obstacle for others: without a block a message goes on through the ring of its lane. A lane fills its block
// piece by piece, and leaves it when it is full, or when all lines are taken and it looks.
#pragma once

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
        const size_t count = window.node().ring().bytes() / 2 / block_bytes;
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
    // The offset of a block in the owner's segment, or none.
    uint64_t take() {
        return empty() ? none : free_[oldest_++ % free_.size()];
    }
    void give(uint64_t block) {
        free_[newest_++ % free_.size()] = block;
    }

private:
    std::vector<uint64_t> free_; // as a ring: oldest_ .. newest_ - 1
    size_t oldest_ = 0, newest_ = 0;
    bool is_open_ = false;
};

} // namespace xcoll

// The sender's end of a lane: puts lines into it, with their payloads, and knows which of its memory is free again.
// post_lane.h has the protocol.
#pragma once

#include <memory>

#include "fabric/post_blocks.h"
#include "fabric/post_lane.h"
#include "kernels/kernels.h"

namespace xcoll {

// What all lanes of a sender share.
struct PostSupplies {
    Window &window;
    const Kernels &kernels;
    CopyWay writing;
    PostBlocks blocks;
};

class PostOut {
public:
    static constexpr size_t full = ~size_t{0};

    struct Label {
        PostLine::What what;
        int32_t tag;
        uint32_t message;
        size_t total;
        const char *address;
    };

    bool is_open() const {
        return lane_ != nullptr;
    }
    // Returns the offset to be told to the peer. Throws NO_MEMORY.
    uint64_t open(Window &window);

    // Writes a line with the first of these bytes, as many as go with one line. Returns how many; `full`: there is no
    // room now.
    size_t put(PostSupplies &supplies, const Label &label, const char *data, size_t bytes);
    // The last put() found no room. Then it may find some once this is reached.
    bool is_stuck() const {
        return stuck_;
    }
    Until room(int peer) const {
        return {&lane_->taken, taken_ + 1, peer};
    }
    bool has_news() const {
        return lane_->taken.reached(taken_ + 1);
    }

    // Takes back what the peer has taken out.
    void settle(PostBlocks &blocks);
    bool holds_blocks() const {
        return blocks_held_ > 0;
    }
    uint64_t claimed() const {
        return lane_->claimed.read();
    }
    // After this the peer does not use what it reads from this rank's buffers; with `wait` it does not read any more.
    void revoke(bool wait);

private:
    // What becomes free with a line.
    struct Hold {
        uint64_t ring_end;
        uint64_t block;
    };
    bool has_line(PostBlocks &blocks);
    uint64_t find_place(PostSupplies &supplies, size_t total, size_t &bytes);
    uint64_t find_in_block(PostBlocks &blocks, size_t bytes);
    uint64_t find_in_ring(PostBlocks &blocks, size_t bytes);
    void leave_block(PostBlocks &blocks);

    PostLane *lane_ = nullptr;
    uint64_t ring_offset_ = 0; // of the lane's ring in the segment
    uint64_t written_ = 0, taken_ = 0;
    uint64_t head_ = 0, tail_ = 0;      // of the ring: [tail_, head_) is in use
    uint64_t block_ = PostBlocks::none; // that payloads are put into now
    size_t block_used_ = 0;
    uint64_t block_line_ = 0; // the last that has a payload there
    size_t blocks_held_ = 0;
    bool stuck_ = false;
    std::unique_ptr<Hold[]> holds_; // by line
};

} // namespace xcoll

// The sender's end of a lane: puts lines into it, with their payloads, and knows which of its memory is free again.
// post_lane.h has the protocol.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <vector>

#include "fabric/first_look.h"
#include "fabric/post_blocks.h"
#include "fabric/post_lane.h"
#include "kernels/kernels.h"

namespace xcoll {

// What all lanes of a sender share.
struct PostSupplies {
    Window &window;
    const Kernels &kernels;
    CopyWay writing, near_writing;
    PostBlocks blocks;
};

class PostOut {
public:
    static constexpr size_t full = ~size_t{0};

    struct Label {
        PostLine::What what;
        int32_t tag;
        uint32_t message;
        size_t total, moved; // of the message, before this line
        const char *address;
    };

    bool is_open() const {
        return lane_ != nullptr;
    }
    // Returns the offset to be told to the peer. Throws SYSTEM if there is no memory.
    uint64_t open(Window &window);

    // Writes a line to the peer with some of these bytes, as many as go with one line, through the message's block or
    // a new one. Returns how many; `full`: there is no room now.
    size_t put(PostSupplies &supplies, int peer, const Label &label, const char *data, size_t bytes,
               PostOpenBlock &block);
    // A block of the peer's for a later put(); it goes home with that. False: there are as many as may be, or no memory
    // to note one.
    bool keep(uint64_t block, size_t size, size_t most) noexcept {
        std::vector<uint64_t> &borrowed = borrowed_[size];
        if (borrowed.size() >= most) {
            return false;
        }
        try {
            borrowed.push_back(block);
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
    // One more of the next lines is fetched, before it is written, with as much of the place beside it as the last
    // message took.
    void claim_next() {
        const uint64_t next = std::max(claimed_lines_, written_);
        if (next - taken_ < post_lines) {
            claim_line(&lane_->lines[next % post_lines]);
            for (size_t at = 0; at < last_beside_; at += line_bytes) {
                claim_line(lane_->beside[next % post_lines] + at);
            }
            claimed_lines_ = next + 1;
        }
    }
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
    // What becomes free with a line, unless the peer keeps it.
    struct Hold {
        uint64_t ring_end;
        uint64_t block; // 0: none
        size_t size;    // of the block
    };
    struct Place {
        PostLine::Where where;
        bool is_near;
        uint64_t offset; // 0: there is none
        uint64_t block;  // that leaves with the line, 0: none
    };
    bool has_line(PostBlocks &blocks);
    bool take_block(PostBlocks &blocks, size_t size, PostOpenBlock &open);
    Place find_place(PostBlocks &blocks, const Label &label, size_t &bytes, PostOpenBlock &open);
    const char *put_elsewhere(PostSupplies &supplies, int peer, const Label &label, const char *data, size_t &bytes,
                              PostOpenBlock &open);
    uint64_t find_in_ring(PostBlocks &blocks, size_t bytes);

    PostLane *lane_ = nullptr;
    uint64_t ring_offset_ = 0; // of the lane's ring in the segment
    uint64_t written_ = 0, taken_ = 0, claimed_lines_ = 0;
    size_t last_beside_ = 0;       // bytes that the last line has there
    uint64_t head_ = 0, tail_ = 0; // of the ring: [tail_, head_) is in use
    size_t blocks_held_ = 0;       // of this rank's, in lines that are not known to be taken
    std::array<std::vector<uint64_t>, PostBlocks::sizes> borrowed_; // the peer's
    bool stuck_ = false;
    std::unique_ptr<Hold[]> holds_; // by line
};

} // namespace xcoll

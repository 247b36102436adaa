// Memory through which a rank sends what fits neither into a line nor beside it, whoever it is for: blocks. Who has
// read a block keeps it for his own next message to its sender, as two ranks do with batons (batons.h):
//
//     rank 0   writes a |         | reads a | writes a
//     rank 1            | reads a | writes a |         | reads a
//
// A message begins at the begin of a block, and goes on in it piece by piece; short ones have blocks of their own. So
// whatever the lengths of messages, a block is read as far as it is written later. Where each piece had a block, on a
// Zen 4 with two L3s, exchanged messages of 64 KiB, in pieces of 2 and 8, took 10.6 us instead of 5.8.
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
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/post_lane.h"
#include "fabric/window.h"

namespace xcoll {

struct PostBlock {
    uint64_t offset = 0;  // in its owner's segment
    bool is_near = false; // its holder has read it last
};

// Those of one size.
class PostBlockPool {
public:
    PostBlockPool(size_t room, size_t bytes, size_t peers)
        : bytes_(bytes), keeps_(room / bytes / 2 / peers), free_(room / bytes) {
    }
    size_t bytes() const {
        return bytes_;
    }
    // How many of one peer a rank keeps: all of them together at most half of what that one has. All ranks have as
    // many.
    size_t keeps() const {
        return keeps_;
    }
    size_t room() const {
        return free_.size() * bytes_;
    }
    // All of them from here on.
    void open(uint64_t first) {
        for (size_t i = 0; i < free_.size(); ++i) {
            give(first + i * bytes_);
        }
    }
    bool empty() const {
        return count_ == 0;
    }
    PostBlock take() {
        const PostBlock block = free_[begin_];
        begin_ = around(begin_ + 1);
        --count_;
        return block;
    }
    void give(uint64_t block) {
        free_[around(begin_ + count_)] = {block, false};
        ++count_;
    }
    // One that has just been read here.
    void give_first(uint64_t block) {
        begin_ = around(begin_ + free_.size() - 1);
        free_[begin_] = {block, true};
        ++count_;
    }

private:
    size_t around(size_t place) const {
        return place < free_.size() ? place : place - free_.size();
    }

    size_t bytes_, keeps_;
    std::vector<PostBlock> free_; // as a ring: so many, from begin_ on
    size_t begin_ = 0, count_ = 0;
};

class PostBlocks {
public:
    static constexpr size_t sizes = 2;
    // Which of them messages of so many bytes go through, on all ranks.
    static size_t size_for(size_t message) {
        return message > post_piece ? 1 : 0;
    }

    explicit PostBlocks(const Window &window) : PostBlocks(window.node().sizes().block_bytes, window.size()) {
    }
    PostBlockPool &of_size(size_t size) {
        return pools_[size];
    }
    // There are none if other communicators have what the budget allows.
    void open(Window &window) {
        is_open_ = true;
        uint64_t first = window.take_blocks();
        if (first == 0) {
            return;
        }
        for (PostBlockPool &pool : pools_) {
            pool.open(first);
            first += pool.room();
        }
    }
    bool is_open() const {
        return is_open_;
    }

private:
    static constexpr size_t short_share = 8, fewest_long = 8; // of all
    static constexpr size_t longest = 64 * 1024;

    PostBlocks(size_t all, int ranks)
        : PostBlocks(all, all / short_share, static_cast<size_t>(std::max(ranks - 1, 1))) {
    }
    PostBlocks(size_t all, size_t for_short, size_t peers)
        : pools_{PostBlockPool(for_short, post_piece, peers),
                 PostBlockPool(all - for_short, std::min(longest, all / fewest_long), peers)} {
    }

    std::array<PostBlockPool, sizes> pools_;
    bool is_open_ = false;
};

} // namespace xcoll

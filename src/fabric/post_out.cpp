#include "fabric/post_out.h"

#include <algorithm>

#include "fabric/visit.h"

namespace xcoll {

namespace {
constexpr uint64_t whole_lines(size_t bytes) {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}
} // namespace

uint64_t PostOut::open(Window &window) {
    holds_ = std::make_unique<Hold[]>(post_lines);
    const uint64_t offset = window.take_memory(sizeof(PostLane));
    auto *lane = reinterpret_cast<PostLane *>(window.node().arena().at(offset));
    for (PostLine &line : lane->lines) {
        line.number.store(0);
    }
    lane->taken.store(0);
    lane->claimed.store(0);
    lane->kept.store(0, std::memory_order_relaxed);
    lane->reading.store(0, std::memory_order_relaxed);
    lane->revoked.store(0, std::memory_order_relaxed);
    lane_ = lane;
    ring_offset_ = window.offset_of(lane->ring);
    return offset;
}

void PostOut::settle(PostBlocks &blocks) {
    const uint64_t taken = lane_->taken.read();
    const uint32_t kept = lane_->kept.load(std::memory_order_relaxed);
    for (; taken_ < taken; ++taken_) {
        const uint64_t line = taken_ % post_lines;
        const Hold &hold = holds_[line];
        tail_ = hold.ring_end;
        if (hold.block == 0) {
            continue;
        }
        --blocks_held_;
        if ((kept >> line & 1) == 0) {
            blocks.of_size(hold.size).give(hold.block);
        }
    }
}

bool PostOut::has_line(PostBlocks &blocks) {
    if (written_ - taken_ == post_lines) {
        settle(blocks);
    }
    return written_ - taken_ < post_lines;
}

// A payload lies in one piece, so the rest of the ring stays empty where it does not fit.
uint64_t PostOut::find_in_ring(PostBlocks &blocks, size_t bytes) {
    const uint64_t room = whole_lines(bytes);
    const uint64_t rest = post_ring_bytes - head_ % post_ring_bytes;
    const uint64_t begin = rest < room ? head_ + rest : head_;
    if (begin + room - tail_ > post_ring_bytes) {
        settle(blocks);
        if (begin + room - tail_ > post_ring_bytes) {
            return 0;
        }
    }
    head_ = begin + room;
    return ring_offset_ + begin % post_ring_bytes;
}

bool PostOut::take_block(PostBlocks &blocks, size_t size, PostOpenBlock &open) {
    std::vector<uint64_t> &borrowed = borrowed_[size];
    PostBlockPool &pool = blocks.of_size(size);
    if (!borrowed.empty()) {
        open = {borrowed.back(), 0, PostLine::Where::block_of_receiver, true};
        borrowed.pop_back();
    } else if (!pool.empty()) {
        const PostBlock block = pool.take();
        open = {block.offset, 0, PostLine::Where::block_of_sender, block.is_near};
    }
    return open.offset != 0;
}

// May shorten the payload, or lengthen it where the rest would lie in a line or beside it, and the block would go on
// with nothing. What is left of a block is never as short as that.
PostOut::Place PostOut::find_place(PostBlocks &blocks, const Label &label, size_t &bytes, PostOpenBlock &open) {
    const size_t size = PostBlocks::size_for(label.total);
    if (open.offset == 0 && !take_block(blocks, size, open)) {
        bytes = std::min(bytes, post_piece);
        return {PostLine::Where::ring, false, find_in_ring(blocks, bytes), 0};
    }
    const size_t left = label.total - label.moved, room = blocks.of_size(size).bytes() - open.used;
    bytes = std::min(left - bytes <= PostLine::room_beside ? left : bytes, room);
    Place place{open.where, open.is_near, open.offset + open.used, 0};
    open.used += bytes;
    if (bytes == room || bytes == left) {
        place.block = open.offset;
        open = {};
    }
    return place;
}

// Returns where; nullptr: there is no room now.
const char *PostOut::put_elsewhere(PostSupplies &supplies, int peer, const Label &label, const char *data,
                                   size_t &bytes, PostOpenBlock &open) {
    const Place place = find_place(supplies.blocks, label, bytes, open);
    if (place.offset == 0) {
        return nullptr;
    }
    const bool is_peers = place.where == PostLine::Where::block_of_receiver;
    char *to = supplies.window.at(is_peers ? peer : supplies.window.rank(), place.offset);
    (place.is_near ? supplies.near_writing : supplies.writing).copy(supplies.kernels, to, data, bytes);
    PostLine &line = lane_->lines[written_ % post_lines];
    line.where = place.where;
    line.elsewhere = {label.total, place.offset, place.block, nullptr};
    if (place.block != 0 && !is_peers) {
        holds_[written_ % post_lines].block = place.block;
        ++blocks_held_;
    }
    return to;
}

size_t PostOut::put(PostSupplies &supplies, int peer, const Label &label, const char *data, size_t bytes,
                    PostOpenBlock &open) {
    stuck_ = !has_line(supplies.blocks);
    if (stuck_) {
        return full;
    }
    const uint64_t place = written_ % post_lines;
    PostLine &line = lane_->lines[place];
    Hold &hold = holds_[place];
    hold = {0, 0, PostBlocks::size_for(label.total)};
    const void *outside = nullptr;
    last_beside_ = bytes > PostLine::room && bytes <= PostLine::room_beside ? bytes : 0;
    if (label.what == PostLine::What::offer) {
        line.elsewhere = {label.total, 0, 0, label.address};
    } else if (bytes <= PostLine::room) {
        supplies.kernels.copy(line.inside, data, bytes);
    } else if (bytes <= PostLine::room_beside) {
        supplies.kernels.copy(lane_->beside[place], data, bytes);
        outside = lane_->beside[place];
    } else {
        outside = put_elsewhere(supplies, peer, label, data, bytes, open);
        if (!outside) {
            stuck_ = true;
            return full;
        }
    }
    line.what = label.what;
    line.tag = label.tag;
    line.message = label.message;
    line.bytes = static_cast<uint32_t>(bytes);
    hold.ring_end = head_;
    const bool is_whole = outside && label.total == bytes;
    supplies.window.publish(line.number, ++written_, static_cast<const char *>(outside), is_whole ? bytes : 0);
    return bytes;
}

void PostOut::revoke(bool wait) {
    lane_->revoked.store(1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst); // what the caller writes into the buffer next comes behind it
    if (wait) {
        Visit::await_end(lane_->reading, [] { return true; });
    }
}

} // namespace xcoll

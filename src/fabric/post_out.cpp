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
    lane->reading.store(0, std::memory_order_relaxed);
    lane->revoked.store(0, std::memory_order_relaxed);
    lane_ = lane;
    ring_offset_ = window.offset_of(lane->ring);
    return offset;
}

void PostOut::settle(PostBlocks &blocks) {
    const uint64_t taken = lane_->taken.read();
    for (; taken_ < taken; ++taken_) {
        const Hold &hold = holds_[taken_ % post_lines];
        tail_ = hold.ring_end;
        if (hold.block != PostBlocks::none) {
            blocks.give(hold.block);
            --blocks_held_;
        }
    }
    if (taken_ == written_) {
        leave_block(blocks); // nobody knows when there is more to put into it
    }
}

// It is free when its last line is taken.
void PostOut::leave_block(PostBlocks &blocks) {
    if (block_ == PostBlocks::none) {
        return;
    }
    if (block_line_ < taken_) {
        blocks.give(block_);
        --blocks_held_;
    } else {
        holds_[block_line_ % post_lines].block = block_;
    }
    block_ = PostBlocks::none;
}

bool PostOut::has_line(PostBlocks &blocks) {
    if (written_ - taken_ == post_lines) {
        settle(blocks);
    }
    return written_ - taken_ < post_lines;
}

// A payload lies in one piece, so the rest of the ring stays empty where it does not fit. The same of a block.
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

uint64_t PostOut::find_in_block(PostBlocks &blocks, size_t bytes) {
    if (block_ == PostBlocks::none || block_used_ + bytes > PostBlocks::block_bytes) {
        leave_block(blocks);
        block_ = blocks.take();
        if (block_ == PostBlocks::none) {
            return 0;
        }
        block_used_ = 0;
        ++blocks_held_;
    }
    const uint64_t at = block_ + block_used_;
    block_used_ += whole_lines(bytes);
    block_line_ = written_;
    return at;
}

// May shorten the payload. 0: there is no place.
uint64_t PostOut::find_place(PostSupplies &supplies, size_t total, size_t &bytes) {
    if (total > post_piece) {
        if (const uint64_t at = find_in_block(supplies.blocks, bytes)) {
            return at;
        }
        bytes = std::min(bytes, post_piece);
    }
    return find_in_ring(supplies.blocks, bytes);
}

size_t PostOut::put(PostSupplies &supplies, const Label &label, const char *data, size_t bytes) {
    stuck_ = !has_line(supplies.blocks);
    if (stuck_) {
        return full;
    }
    PostLine &line = lane_->lines[written_ % post_lines];
    const char *payload = nullptr;
    if (bytes > PostLine::room) {
        const uint64_t place = find_place(supplies, label.total, bytes);
        if (place == 0) {
            stuck_ = true;
            return full;
        }
        char *to = supplies.window.at(supplies.window.rank(), place);
        supplies.writing.copy(supplies.kernels, to, data, bytes);
        line.elsewhere = {label.total, place, nullptr};
        payload = to;
    } else if (label.what == PostLine::What::offer) {
        line.elsewhere = {label.total, 0, label.address};
    } else {
        supplies.kernels.copy(line.inside, data, bytes);
    }
    line.what = label.what;
    line.tag = label.tag;
    line.message = label.message;
    line.bytes = static_cast<uint32_t>(bytes);
    holds_[written_ % post_lines] = {head_, PostBlocks::none};
    const bool is_whole = payload && label.total == bytes;
    supplies.window.publish(line.number, ++written_, payload, is_whole ? bytes : 0);
    return bytes;
}

void PostOut::revoke(bool wait) {
    lane_->revoked.store(1, std::memory_order_seq_cst);
    if (wait) {
        Visit::await_end(lane_->reading);
    }
}

} // namespace xcoll

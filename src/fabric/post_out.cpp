#include "fabric/post_out.h"

#include "fabric/visit.h"

namespace xcoll {

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
}

bool PostOut::has_line(PostBlocks &blocks) {
    if (written_ - taken_ == post_lines) {
        settle(blocks);
    }
    return written_ - taken_ < post_lines;
}

// A payload lies in one piece, so the rest of the ring stays empty where it does not fit.
bool PostOut::find_in_ring(PostBlocks &blocks, size_t bytes, uint64_t &at) {
    const uint64_t room = (bytes + line_bytes - 1) / line_bytes * line_bytes;
    const uint64_t rest = post_ring_bytes - head_ % post_ring_bytes;
    const uint64_t begin = rest < room ? head_ + rest : head_;
    if (begin + room - tail_ > post_ring_bytes) {
        settle(blocks);
        if (begin + room - tail_ > post_ring_bytes) {
            return false;
        }
    }
    at = ring_offset_ + begin % post_ring_bytes;
    head_ = begin + room;
    return true;
}

// May shorten the payload. 0: there is no place.
uint64_t PostOut::find_place(PostSupplies &supplies, size_t &bytes) {
    if (bytes > post_piece) {
        block_ = supplies.blocks.take();
        if (block_ != PostBlocks::none) {
            ++blocks_held_;
            bytes = std::min(bytes, PostBlocks::block_bytes);
            return block_;
        }
        bytes = post_piece;
    }
    uint64_t at = 0;
    return find_in_ring(supplies.blocks, bytes, at) ? at : 0;
}

size_t PostOut::put(PostSupplies &supplies, const Label &label, const char *data, size_t bytes) {
    stuck_ = !has_line(supplies.blocks);
    if (stuck_) {
        return full;
    }
    block_ = PostBlocks::none;
    PostLine &line = lane_->lines[written_ % post_lines];
    if (bytes > PostLine::room) {
        const uint64_t place = find_place(supplies, bytes);
        if (place == 0) {
            stuck_ = true;
            return full;
        }
        char *to = supplies.window.at(supplies.window.rank(), place);
        supplies.writing.copy(supplies.kernels, to, data, bytes);
        line.elsewhere = {label.total, place, nullptr};
    } else if (label.what == PostLine::What::offer) {
        line.elsewhere = {label.total, 0, label.address};
    } else {
        supplies.kernels.copy(line.inside, data, bytes);
    }
    line.what = label.what;
    line.tag = label.tag;
    line.message = label.message;
    line.bytes = static_cast<uint32_t>(bytes);
    holds_[written_ % post_lines] = {head_, block_};
    supplies.window.publish(line.number, ++written_);
    return bytes;
}

void PostOut::revoke(bool wait) {
    lane_->revoked.store(1, std::memory_order_seq_cst);
    if (wait) {
        Visit::await_end(lane_->reading);
    }
}

} // namespace xcoll

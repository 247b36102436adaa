#include "coll/view_cursor.h"

#include <algorithm>

#include "coll/itinerary.h"
#include "coll/small_copy.h"

namespace xcoll {

namespace {

void move_bytes(const Kernels &kernels, char *to, const char *from, size_t bytes) {
    constexpr size_t small = 32;
    if (to == from) {
        return;
    }
    if (bytes <= small) {
        copy_small(to, from, bytes);
    } else {
        kernels.copy(to, from, bytes);
    }
}

} // namespace

Portion ViewCursor::portion(const Op &op) const {
    return side_ == Side::shared_out || side_ == Side::pair_out ? exchange_->out(op, peer_) : exchange_->in(op, peer_);
}

// The next view that has bytes.
bool ViewCursor::load() {
    const bool shared = side_ == Side::shared_out || side_ == Side::shared_in;
    const std::span<const Op> ops = exchange_->ops();
    for (; op_ < ops.size(); ++op_, next_ = 0) {
        if (traits(ops[op_].kind).is_shared != shared) {
            continue;
        }
        const Portion part = portion(ops[op_]);
        while (next_ < part.views()) {
            const size_t view = next_++;
            if (part.shape) {
                begin_view(part.view(view));
            } else {
                at_ = part.base;
                left_ = part.count;
            }
            if (left_ > 0) {
                return true;
            }
        }
    }
    return false;
}

void ViewCursor::begin_view(const View &view) {
    const size_t runs = view.run ? view.runs() : 0;
    if (runs > 0) {
        view_ = view;
        index_ = {};
        at_ = run_begin_ = view.base;
        left_ = view.run;
        runs_left_ = runs - 1;
    }
}

// To the next run of the view.
void ViewCursor::step() {
    --runs_left_;
    for (size_t d = View::most_directions; d-- > 0;) {
        run_begin_ += view_.strides[d];
        if (++index_[d] < view_.counts[d]) {
            break;
        }
        run_begin_ -= static_cast<ptrdiff_t>(view_.counts[d]) * view_.strides[d];
        index_[d] = 0;
    }
    at_ = run_begin_;
    left_ = view_.run;
}

std::span<char> ViewCursor::next(size_t most) {
    if (left_ == 0) {
        if (runs_left_ > 0) {
            step();
        } else if (!load()) {
            return {};
        }
    }
    const size_t bytes = std::min(most, left_);
    char *at = at_;
    at_ += bytes;
    left_ -= bytes;
    return {at, bytes};
}

void ViewCursor::copy_to(const Kernels &kernels, char *to, size_t bytes) {
    walk(bytes, [&](std::span<char> piece) {
        move_bytes(kernels, to, piece.data(), piece.size());
        to += piece.size();
    });
}

void ViewCursor::copy_from(const Kernels &kernels, const char *from, size_t bytes) {
    walk(bytes, [&](std::span<char> piece) {
        move_bytes(kernels, piece.data(), from, piece.size());
        from += piece.size();
    });
}

void ViewCursor::move_own(const Kernels &kernels, const Exchange &exchange) {
    if (const Itinerary *itinerary = exchange.itinerary(); itinerary && itinerary->lists_own()) {
        const std::span<const Itinerary::Piece> own = itinerary->own();
        for (size_t i = 0; i < own.size(); i += 2) {
            move_bytes(kernels, own[i].data(), own[i + 1].data(), own[i].size());
        }
        return;
    }
    each_own(exchange,
             [&](std::span<char> to, std::span<char> from) { move_bytes(kernels, to.data(), from.data(), to.size()); });
}

} // namespace xcoll

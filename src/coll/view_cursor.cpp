#include "coll/view_cursor.h"

#include "coll/itinerary.h"
#include "coll/row_copy.h"

namespace xcoll {

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
                runs_.begin(part.view(view));
            } else {
                runs_.begin(part.base, part.count);
            }
            if (!runs_.is_at_end()) {
                return true;
            }
        }
    }
    return false;
}

template <class Move> void ViewCursor::walk_rows(size_t bytes, Move move) {
    while (bytes > 0 && (!runs_.is_at_end() || load())) {
        const RunRow row = runs_.next_row(bytes);
        move(row);
        bytes -= row.bytes();
    }
}

void ViewCursor::copy_to(const Kernels &kernels, char *to, size_t bytes) {
    walk_rows(bytes, [&](const RunRow &row) {
        gather_row(kernels, to, row);
        to += row.bytes();
    });
}

void ViewCursor::copy_from(const Kernels &kernels, const char *from, size_t bytes) {
    walk_rows(bytes, [&](const RunRow &row) {
        scatter_row(kernels, row, from);
        from += row.bytes();
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

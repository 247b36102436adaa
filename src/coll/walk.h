// Through the bytes of one side of an Exchange by the shortest way: most lie together, an itinerary knows the pieces of
// a group, and a cursor finds all others.
#pragma once

#include <optional>

#include "coll/itinerary.h"

namespace xcoll {

class Walk {
public:
    using Side = ViewCursor::Side;

    void begin(const Exchange &exchange, Side side, int peer) {
        at_ = nullptr;
        cursor_.reset();
        if (const Itinerary *itinerary = exchange.itinerary()) {
            pieces_ = itinerary->pieces(side, peer);
            within_ = 0;
            return;
        }
        if (exchange.ops().size() == 1) {
            const bool out = side == Side::shared_out || side == Side::pair_out;
            const Op &op = exchange.ops()[0];
            const Portion part = out ? exchange.out(op, peer) : exchange.in(op, peer);
            at_ = part.shape ? nullptr : part.base;
        }
        if (!at_) {
            cursor_.emplace(exchange, side, peer);
        }
    }
    // The next bytes that lie together, at most so many. Not to be asked behind the end.
    std::span<char> next(size_t most) {
        if (at_) {
            at_ += most;
            return {at_ - most, most};
        }
        return cursor_ ? cursor_->next(most) : next_of_pieces(most);
    }

private:
    std::span<char> next_of_pieces(size_t most) {
        const std::span<char> rest = pieces_.front().subspan(within_);
        if (rest.size() > most) {
            within_ += most;
            return rest.first(most);
        }
        within_ = 0;
        pieces_ = pieces_.subspan(1);
        return rest;
    }

    char *at_ = nullptr;
    std::span<const Itinerary::Piece> pieces_;
    size_t within_ = 0; // of the first piece
    std::optional<ViewCursor> cursor_;
};

} // namespace xcoll

// The walk through an Exchange, written down: for groups, which move many small parts and, when persistent, the same
// ones again and again. Parts that lie behind each other in one buffer become one piece.
#pragma once

#include <span>
#include <vector>

#include "coll/view_cursor.h"

namespace xcoll {

class Itinerary {
public:
    using Side = ViewCursor::Side;
    using Piece = std::span<char>;

    // Instead of what was written before. False if it has too many pieces for that.
    bool write(const Op &group, int rank, int ranks);

    std::span<const Piece> pieces(Side side, int peer) const {
        const Section &found = section(side, peer);
        return {pieces_.data() + found.first, found.count};
    }
    size_t bytes(Side side, int peer) const {
        return section(side, peer).bytes;
    }
    // What the rank gives to itself and is not there yet, in pairs: where it goes, and where it lies. In a group of few
    // calls it is found as fast as it is read here.
    bool lists_own() const {
        return lists_own_;
    }
    std::span<const Piece> own() const {
        return std::span(pieces_).subspan(own_begin_);
    }
    // Some of it goes to one rank only.
    bool has_pairs() const {
        return has_pairs_;
    }

private:
    struct Section {
        size_t first, count, bytes;
    };
    const Section &section(Side side, int peer) const {
        return sections_[number(side, side == Side::shared_out ? 0 : peer)];
    }
    size_t number(Side side, int peer) const {
        return static_cast<size_t>(side) * ranks_ + static_cast<size_t>(peer);
    }
    // False if there were too many.
    bool write_side(const Exchange &exchange, Side side, int peer);
    bool add(Section &section, Piece next);
    void add_own(Piece to, Piece from);

    std::vector<Piece> pieces_;
    std::vector<Section> sections_;
    size_t ranks_ = 0, own_begin_ = 0;
    bool has_pairs_ = false, lists_own_ = false;
};

} // namespace xcoll

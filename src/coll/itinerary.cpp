#include "coll/itinerary.h"

#include <algorithm>

namespace xcoll {

namespace {
// 256 KiB of pieces; beyond, reading the list costs as much as finding the way anew.
constexpr size_t most_pieces = size_t{16} << 10;
// A group of 2 calls that runs once took 20 ns of 300 longer with a list of what is its own.
constexpr size_t many_calls = 8;
} // namespace

bool Itinerary::add(Section &section, Piece next) {
    section.bytes += next.size();
    if (section.count > 0 && pieces_.back().data() + pieces_.back().size() == next.data()) {
        pieces_.back() = {pieces_.back().data(), pieces_.back().size() + next.size()};
        return true;
    }
    if (pieces_.size() == most_pieces) {
        return false;
    }
    pieces_.push_back(next);
    ++section.count;
    return true;
}

bool Itinerary::write_side(const Exchange &exchange, Side side, int peer) {
    const bool out = side == Side::shared_out || side == Side::pair_out;
    const bool shared = side == Side::shared_out || side == Side::shared_in;
    Section &section = sections_[number(side, peer)];
    section = {pieces_.size(), 0, 0};
    for (const Op &op : exchange.ops()) {
        if (traits(op.kind).is_shared != shared) {
            continue;
        }
        const Portion part = out ? exchange.out(op, peer) : exchange.in(op, peer);
        if (!part.shape) {
            if (part.count > 0 && !add(section, {part.base, part.count})) {
                return false;
            }
            continue;
        }
        const Exchange one(op, exchange.rank(), exchange.ranks());
        ViewCursor cursor(one, side, peer);
        for (Piece next = cursor.next(~size_t{0}); !next.empty(); next = cursor.next(~size_t{0})) {
            if (!add(section, next)) {
                return false;
            }
        }
    }
    return true;
}

void Itinerary::add_own(Piece to, Piece from) {
    if (to.data() == from.data()) {
        return;
    }
    if (!own().empty()) {
        Piece &last_to = pieces_[pieces_.size() - 2], &last_from = pieces_.back();
        if (last_to.data() + last_to.size() == to.data() && last_from.data() + last_from.size() == from.data()) {
            last_to = {last_to.data(), last_to.size() + to.size()};
            last_from = {last_from.data(), last_to.size()};
            return;
        }
    }
    pieces_.push_back(to);
    pieces_.push_back(from);
}

bool Itinerary::write(const Op &group, int rank, int ranks) {
    const Exchange exchange(group, rank, ranks);
    ranks_ = static_cast<size_t>(ranks);
    has_pairs_ = exchange.tells_places();
    sections_.assign(4 * ranks_, {});
    pieces_.clear();
    // Most calls have a piece for each peer, or one from it, and two of their own.
    pieces_.reserve(std::min(most_pieces, exchange.ops().size() * (ranks_ + 2)));
    for (int p = 0; p < ranks; ++p) {
        if (p == rank) {
            continue;
        }
        if (!write_side(exchange, Side::shared_in, p) ||
            (has_pairs_ && !(write_side(exchange, Side::pair_out, p) && write_side(exchange, Side::pair_in, p)))) {
            return false;
        }
    }
    if (!write_side(exchange, Side::shared_out, 0)) {
        return false;
    }
    own_begin_ = pieces_.size();
    lists_own_ = exchange.ops().size() >= many_calls;
    if (lists_own_) {
        ViewCursor::each_own(exchange, [this](Piece to, Piece from) { add_own(to, from); });
    }
    return own().size() <= most_pieces;
}

} // namespace xcoll

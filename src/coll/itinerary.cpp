#include "coll/itinerary.h"

namespace xcoll {

namespace {
// 256 KiB of pieces; beyond, reading the list costs as much as finding the way anew.
constexpr size_t most_pieces = size_t{16} << 10;
} // namespace

bool Itinerary::write_down(const Exchange &exchange, Side side, int peer) {
    Section &written = sections_[number(side, peer)];
    written = {pieces_.size(), 0, 0};
    ViewCursor cursor(exchange, side, peer);
    for (Piece next = cursor.next(~size_t{0}); !next.empty(); next = cursor.next(~size_t{0})) {
        written.bytes += next.size();
        if (written.count > 0 && pieces_.back().data() + pieces_.back().size() == next.data()) {
            pieces_.back() = {pieces_.back().data(), pieces_.back().size() + next.size()};
            continue;
        }
        if (pieces_.size() == most_pieces) {
            return false;
        }
        pieces_.push_back(next);
        ++written.count;
    }
    return true;
}

std::shared_ptr<const Itinerary> Itinerary::of(const Op &group, int rank, int ranks) {
    const Exchange exchange(group, rank, ranks);
    auto written = std::make_shared<Itinerary>();
    written->ranks_ = static_cast<size_t>(ranks);
    written->has_pairs_ = exchange.tells_places();
    written->sections_.resize(4 * written->ranks_);
    for (int p = 0; p < ranks; ++p) {
        if (p == rank) {
            continue; // what is its own goes call by call
        }
        for (const Side side : {Side::pair_out, Side::shared_in, Side::pair_in}) {
            if (!written->write_down(exchange, side, p)) {
                return nullptr;
            }
        }
    }
    return written->write_down(exchange, Side::shared_out, 0) ? written : nullptr;
}

} // namespace xcoll

// While a head is missing, the processor fetches what other ranks have shown already.
//
//     rank 1    shown    |####|                       root, waiting for rank 3
//     rank 2    shown    |####|####|
//     rank 3    is late            | shown | read 3 | copy 1 and 2, which are here
//
// Nothing may move before all calls are known to match (own_part.h), but lines may come into this rank's cache. Where
// each rank in turn is the root of a gather, the others are ahead of the one that was the root last: without this the
// whole reading of one root lies behind that of the one before. Cost: none, as the time passes anyway.
#include "coll/shown.h"
#include "coll/streams.h"

namespace xcoll {

namespace {

// A look at the missing head after each.
constexpr size_t piece = size_t{4} << 10;
// Half of the nearest large cache: what was fetched first must not be gone when it is read.
constexpr size_t most_fetched = size_t{512} << 10;
// On 16 processors of a Xeon of the fourth generation, another root every time, gathers of 64 KiB by 8 ranks take 67 us
// like this and 84 without, of 16 KiB by 16 ranks 43 and 53; by 4 ranks of 64 KiB 25 and 23.
constexpr int least_ranks = 5;

} // namespace

// Of one call, in which whatever peers show is for this rank.
bool Streams::takes_all_of_streams() const {
    const Op &op = exchange_.ops()[0];
    const bool to_root = op.kind == Kind::gather || op.kind == Kind::gatherv;
    return exchange_.ops().size() == 1 && !exchange_.arrivals() && ranks_ >= least_ranks &&
           (to_root ? rank_ == op.root : op.root < 0 && traits(op.kind).is_shared);
}

// What p, which has entered, shows as a whole, as far as it has come.
std::span<const char> Streams::shown_to_all(int p) const {
    const Head &head = window_.head(p, n_);
    if (head.call != call_ || head.lent != Lent::no) {
        return {};
    }
    if (head.has_room) {
        const Op &op = exchange_.ops()[0];
        const size_t bytes = shown_bytes(op.kind, op, p, ranks_);
        return {payload_of(window_, p, n_, op.kind, bytes, slot_room_for(window_, op.kind)), bytes};
    }
    const bool is_whole = head.inlined == 0 && head.turns == 0 && head.place.total <= head.place.area;
    if (!is_whole) {
        return {};
    }
    const uint64_t come = (window_.cell(p, n_).in.read() - head.place.base) * line_bytes;
    return {window_.place(p, n_, head.place.offset),
            head.flows ? std::min<size_t>(come, head.place.total) : head.place.total};
}

// False: nothing has come that is worth it.
bool Streams::fetch_piece() {
    constexpr int most_ranks = 64; // bits
    if (!takes_all_of_streams()) {
        return false;
    }
    for (int p = 0; fetching_.empty() && p < std::min(ranks_, most_ranks) && fetched_ < most_fetched; ++p) {
        const uint64_t bit = uint64_t{1} << p;
        if (p != rank_ && !(fetched_ranks_ & bit) && window_.entered(p, n_).reached()) {
            fetched_ranks_ |= bit;
            fetching_ = shown_to_all(p);
        }
    }
    const size_t now = std::min(piece, fetching_.size());
    fetch_lines(fetching_.data(), now);
    fetching_ = fetching_.subspan(now);
    fetched_ += now;
    return now > 0;
}

} // namespace xcoll

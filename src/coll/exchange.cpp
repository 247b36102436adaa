#include "coll/exchange.h"

#include <algorithm>

#include "coll/itinerary.h"

namespace xcoll {

size_t Exchange::shared_out() const {
    return itinerary_ ? itinerary_->bytes(Itinerary::Side::shared_out, 0)
                      : sum(true, [this](const Op &op) { return out(op, -1).bytes(); });
}
size_t Exchange::pair_out(int to) const {
    return itinerary_ ? itinerary_->bytes(Itinerary::Side::pair_out, to)
                      : sum(false, [&](const Op &op) { return out(op, to).bytes(); });
}
size_t Exchange::shared_in(int from) const {
    return itinerary_ ? itinerary_->bytes(Itinerary::Side::shared_in, from)
                      : sum(true, [&](const Op &op) { return in(op, from).bytes(); });
}
size_t Exchange::pair_in(int from) const {
    return itinerary_ ? itinerary_->bytes(Itinerary::Side::pair_in, from)
                      : sum(false, [&](const Op &op) { return in(op, from).bytes(); });
}

bool Exchange::tells_places() const {
    if (itinerary_) {
        return itinerary_->has_pairs();
    }
    if (ops_.size() == 1) {
        const Kind kind = ops_[0].kind;
        return kind == Kind::alltoallv || kind == Kind::alltoall_dyn || kind == Kind::scatterv || kind == Kind::reshard;
    }
    return std::any_of(ops_.begin(), ops_.end(), [](const Op &op) { return !traits(op.kind).is_shared; });
}

bool Exchange::overwrites_its_input() const {
    return std::any_of(ops_.begin(), ops_.end(), [this](const Op &op) {
        if (op.kind != Kind::alltoall && op.kind != Kind::alltoallv && op.kind != Kind::alltoall_dyn) {
            return false;
        }
        if (!op.out || !op.in || op.arrivals) {
            return op.send == op.recv;
        }
        for (int p = 0; p < ranks_; ++p) {
            if (p != rank_ && op.out[p].bytes() > 0 && op.out[p].base == op.in[p].base) {
                return true;
            }
        }
        return false;
    });
}

size_t Exchange::known_place(int from, int to) const {
    if (!differs_by_reader()) {
        return 0;
    }
    const int turn = (to - from - 1 + ranks_) % ranks_;
    return static_cast<size_t>(turn) * in(ops_[0], from).bytes(); // all blocks are of one size
}

} // namespace xcoll

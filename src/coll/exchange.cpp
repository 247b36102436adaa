#include "coll/exchange.h"

#include <algorithm>

#include "base/error.h"
#include "coll/itinerary.h"

namespace xcoll {

namespace {

// Block p of equal blocks in the order of ranks.
Portion block(const void *buffer, const Op &op, int p) {
    char *base = static_cast<char *>(const_cast<void *>(buffer));
    return {base + static_cast<size_t>(p) * op.bytes(), op.bytes(), nullptr};
}

} // namespace

Portion Exchange::out(const Op &op, int to) const {
    const auto t = static_cast<size_t>(to);
    switch (op.kind) {
    case Kind::bcast:
        return rank_ != op.root ? Portion{} : op.out ? op.out[0] : block(op.recv, op, 0);
    case Kind::allgather:
    case Kind::allgatherv:
    case Kind::allgather_dyn:
        return op.out ? op.out[0] : block(op.send, op, 0);
    case Kind::gather:
    case Kind::gatherv:
        return to != op.root ? Portion{} : op.out ? op.out[0] : block(op.send, op, 0);
    case Kind::scatter:
    case Kind::scatterv:
        return rank_ != op.root ? Portion{} : op.out ? op.out[t] : block(op.send, op, to);
    case Kind::alltoall:
    case Kind::alltoallv:
    case Kind::alltoall_dyn:
    case Kind::reshard:
        return op.out ? op.out[t] : block(op.send, op, to);
    default:
        fail(XCOLL_ERR_INTERNAL, "%s does not only move data", name_of(op.kind));
    }
}

Portion Exchange::in(const Op &op, int from) const {
    const auto f = static_cast<size_t>(from);
    switch (op.kind) {
    case Kind::bcast:
        return from != op.root || rank_ == op.root ? Portion{} : op.in ? op.in[0] : block(op.recv, op, 0);
    case Kind::allgather:
    case Kind::allgatherv:
    case Kind::allgather_dyn:
    case Kind::alltoall:
    case Kind::alltoallv:
    case Kind::alltoall_dyn:
    case Kind::reshard:
        return op.in ? op.in[f] : block(op.recv, op, from);
    case Kind::gather:
    case Kind::gatherv:
        return rank_ != op.root ? Portion{} : op.in ? op.in[f] : block(op.recv, op, from);
    case Kind::scatter:
    case Kind::scatterv:
        return from != op.root ? Portion{} : op.in ? op.in[0] : block(op.recv, op, 0);
    default:
        fail(XCOLL_ERR_INTERNAL, "%s does not only move data", name_of(op.kind));
    }
}

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
    return std::any_of(ops_.begin(), ops_.end(), [](const Op &op) {
        const bool all_to_all =
            op.kind == Kind::alltoall || op.kind == Kind::alltoallv || op.kind == Kind::alltoall_dyn;
        return all_to_all && op.send == op.recv;
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

// What goes where, as data: every collective that only moves bytes is one of these, and so is a group of them. When it
// moves is the business of the coroutines that execute it (exchange_streams.cpp, exchange_messages.cpp).
//
// An Exchange is a list of calls, seen from one rank. Each call says what this rank gives to every rank alike (shared:
// bcast, all-gather) or to one rank (a pair's: scatter, all-to-all, gather), and where it wants what comes. The two
// ends agree in the number of bytes, not in shape: the sender's bytes in the order of its views are the receiver's in
// the order of its own. So nobody packs, and a group is the concatenation of its calls.
#pragma once

#include <span>

#include "base/error.h"
#include "base/op.h"

namespace xcoll {

class Exchange {
public:
    // `op` is a group or one of the operations that move data; it lives as long as this.
    Exchange(const Op &op, int rank, int ranks)
        : ops_(op.kind == Kind::group ? op.parts : std::span<const Op>(&op, 1)), itinerary_(op.itinerary), rank_(rank),
          ranks_(ranks) {
    }

    int rank() const {
        return rank_;
    }
    int ranks() const {
        return ranks_;
    }
    std::span<const Op> ops() const {
        return ops_;
    }

    // What comes is for its senders to tell (coll/dynamic.h); nullptr: both ends know.
    Arrivals *arrivals() const {
        return ops_[0].arrivals;
    }
    // What comes in would overwrite what has yet to go out.
    bool overwrites_its_input() const;

    // nullptr: it was not written down.
    const Itinerary *itinerary() const {
        return itinerary_;
    }

    // ---- one call
    // What this rank gives to `to`, or to all.
    Portion out(const Op &op, int to) const;
    // Where what comes from `from` belongs. Of the root's own bcast: nothing.
    Portion in(const Op &op, int from) const;

    // ---- all calls together
    size_t shared_out() const;
    size_t pair_out(int to) const;
    size_t shared_in(int from) const;
    size_t pair_in(int from) const;
    // The place of a pair's bytes in their sender's stream follows from the call; otherwise the sender tells.
    bool tells_places() const;
    // Where it does not tell: other readers' bytes are in the same stream.
    bool differs_by_reader() const {
        return traits(ops_[0].kind).blocks;
    }
    size_t known_place(int from, int to) const;

private:
    // Block p of equal blocks in the order of ranks.
    static Portion block(const void *buffer, const Op &op, int p) {
        char *base = static_cast<char *>(const_cast<void *>(buffer));
        return {base + static_cast<size_t>(p) * op.bytes(), op.bytes(), nullptr};
    }
    template <class Bytes> size_t sum(bool shared, Bytes bytes) const {
        size_t total = 0;
        for (const Op &op : ops_) {
            total += traits(op.kind).is_shared == shared ? bytes(op) : 0;
        }
        return total;
    }
    std::span<const Op> ops_;
    const Itinerary *itinerary_;
    int rank_, ranks_;
};

// Inline: a group is walked through for each peer, in a few nanoseconds a call.
inline Portion Exchange::out(const Op &op, int to) const {
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

inline Portion Exchange::in(const Op &op, int from) const {
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

} // namespace xcoll

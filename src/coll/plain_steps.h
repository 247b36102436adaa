// Operations of a few plain steps, which need no task as long as only heads of peers are missing: one_shot.h, for
// uneven parts short_exchange.h, and for several reductions joined_shot.h. All have the same steps in the same order.
#pragma once

#include <type_traits>

#include "coll/joined_shot.h"
#include "coll/one_shot.h"
#include "coll/short_exchange.h"

namespace xcoll {

// Kind::none: of all operations that go in one shot.
template <Kind kind>
using PlainSteps =
    std::conditional_t<kind == Kind::group_reduce, JoinedShot,
                       std::conditional_t<traits(kind).own_counts, ShortExchange<kind>, OneShotOf<kind>>>;

// The first rank, of those from `begin` on, that these steps read and whose head is not there yet; -1: there is none.
template <class Steps> int missing_head(const Team &team, const Steps &steps, uint64_t n, int begin) {
    for (int p = begin; p < team.size; ++p) {
        if (p != team.rank && steps.reads(p) && !team.window->entered(p, n).reached()) {
            return p;
        }
    }
    return -1;
}

// visit(KindAsType<kind>()) by the kind of uneven parts or of reductions that are joined; Kind::none for all others.
template <class Visit> auto by_plain_steps(Kind kind, Visit visit) {
    switch (kind) {
    case Kind::allgatherv:
        return visit(KindAsType<Kind::allgatherv>());
    case Kind::alltoallv:
        return visit(KindAsType<Kind::alltoallv>());
    case Kind::gatherv:
        return visit(KindAsType<Kind::gatherv>());
    case Kind::scatterv:
        return visit(KindAsType<Kind::scatterv>());
    case Kind::group_reduce:
        return visit(KindAsType<Kind::group_reduce>());
    default:
        return visit(KindAsType<Kind::none>());
    }
}

// Whether uneven parts of such places may be exchanged like that, and whether they are now.
inline bool fits_short_exchange(const Op &op, int rank, int ranks) {
    return by_plain_steps(op.kind, [&]<Kind kind>(KindAsType<kind>) {
        if constexpr (traits(kind).own_counts) {
            return ShortExchange<kind>::fits(op, rank, ranks);
        }
        return false;
    });
}
inline bool is_short_exchange(const Op &op, int rank, int ranks) {
    return by_plain_steps(op.kind, [&]<Kind kind>(KindAsType<kind>) {
        if constexpr (traits(kind).own_counts) {
            return ShortExchange<kind>::is_short(op, rank, ranks);
        }
        return false;
    });
}

} // namespace xcoll

// Whether all ranks are at the same operation of a communicator: asked behind what may have cost one of them its place.
#pragma once

#include "ranks.h"

namespace ranks {

inline void expect_in_step(const Rank &rank, xcoll_comm_t comm, const Location &where = Location::current()) {
    const int mine = rank.rank() + 1;
    int sum = 0;
    succeed(xcoll_allreduce(&mine, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm), where);
    check(sum == rank.size() * (rank.size() + 1) / 2, "the ranks are out of step", where);
}

} // namespace ranks

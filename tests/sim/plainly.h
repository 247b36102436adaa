// Short uneven parts in the plain steps in which ranks exchange them (coll/short_exchange.h). The library takes these
// without a task; here they are one, so that all schedules meet them, and beside peers that stream.
#pragma once

#include "coll/credit.h"
#include "coll/plain_steps.h"
#include "coll/row.h"
#include "coll/window_algorithms.h"

namespace xcoll::sim {

template <Kind kind>
Task short_exchange(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const ShortExchange<kind> steps(team, op, call, n);
    if (!team.window->has_credit(n, steps.credit())) {
        co_await acquire_credit(home, *team.window, n, steps.credit());
    }
    if (!steps.enter()) {
        co_await behind_one_shot(kind)(home, team, op, call, n);
        co_return;
    }
    for (int p = 0; p < team.size; ++p) {
        if (p != team.rank && steps.reads(p)) {
            co_await team.window->entered(p, n);
        }
    }
    if (!steps.finish(Heads::awaited)) {
        co_await behind_one_shot(kind)(home, team, op, call, n);
    }
}

// What runs op by this row, in plain steps if it can.
inline Algorithm plainly(const Row &row, const Op &op, int rank, int ranks) {
    if (row.run != exchange_streams || !fits_short_exchange(op, rank, ranks) || !is_short_exchange(op, rank, ranks)) {
        return row.run;
    }
    return by_plain_steps(op.kind, [&]<Kind kind>(KindAsType<kind>) -> Algorithm {
        if constexpr (traits(kind).own_counts) {
            return short_exchange<kind>;
        }
        return row.run;
    });
}

} // namespace xcoll::sim

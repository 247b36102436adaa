// Short uneven parts in the plain steps in which ranks exchange them (coll/short_exchange.h). The library takes these
// without a task; here they are one, so that all schedules meet them, and beside peers that stream.
#pragma once

#include "coll/plain_steps.h"
#include "coll/plain_task.h"
#include "coll/row.h"

namespace xcoll::sim {

// What runs op by this row, in plain steps if it can.
inline Algorithm plainly(const Row &row, const Op &op, int rank, int ranks) {
    if (row.run != exchange_streams || !fits_short_exchange(op, rank, ranks) || !is_short_exchange(op, rank, ranks)) {
        return row.run;
    }
    return by_plain_steps(op.kind, [&]<Kind kind>(KindAsType<kind>) -> Algorithm {
        if constexpr (traits(kind).own_counts) {
            return plain_task<ShortExchange<kind>>;
        }
        return row.run;
    });
}

} // namespace xcoll::sim

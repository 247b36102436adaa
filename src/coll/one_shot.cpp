#include "coll/one_shot.h"

#include "coll/credit.h"
#include "coll/window_algorithms.h"

namespace xcoll {

Task one_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const OneShot steps(team, op, call, n);
    if (!team.window->has_credit(n, steps.credit())) {
        co_await acquire_credit(home, *team.window, n, steps.credit());
    }
    if (!steps.enter()) {
        co_await behind_one_shot(op.kind)(home, team, op, call, n);
        co_return;
    }
    for (int p = 0; p < team.size; ++p) {
        if (steps.reads(p)) {
            co_await team.window->entered(p, n);
        }
    }
    if (!steps.finish(Heads::awaited)) {
        co_await behind_one_shot(op.kind)(home, team, op, call, n);
    }
}

Algorithm behind_one_shot(Kind kind) {
    switch (kind) {
    case Kind::allreduce:
    case Kind::reduce:
    case Kind::reduce_scatter:
    case Kind::reduce_scatterv:
    case Kind::scan:
    case Kind::exscan:
        return reduce_beside_whole;
    default:
        return exchange_streams;
    }
}

} // namespace xcoll

// The plain steps of plain_steps.h as a task: for requests, which may have to wait between them.
#pragma once

#include "coll/credit.h"
#include "coll/window_algorithms.h"

namespace xcoll {

template <class Steps> Task plain_task(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Steps steps(team, op, call, n);
    if (!team.window->has_credit(n, steps.credit())) {
        co_await acquire_credit(home, *team.window, n, steps.credit());
    }
    if (!steps.enter()) {
        co_await behind_one_shot(op.kind)(home, team, op, call, n);
        co_return;
    }
    for (int p = 0; p < team.size; ++p) {
        if (p != team.rank && steps.reads(p)) {
            co_await team.window->entered(p, n);
        }
    }
    if (!steps.finish(Heads::awaited)) {
        co_await behind_one_shot(op.kind)(home, team, op, call, n);
    }
}

} // namespace xcoll

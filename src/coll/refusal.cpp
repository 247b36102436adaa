// A call that was refused for its arguments takes its number all the same, so that the order of operations is kept: the
// peers see a head that matches nothing and get an error that names this rank, instead of taking its next call for this
// one. Waits for nobody but for credit. Messages have no numbers, and are withheld or declined.
#include "coll/credit.h"
#include "coll/point_to_point.h"
#include "coll/window_algorithms.h"

namespace xcoll {

Task refusal(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    if (traits(op.kind).is_message) {
        refuse_message(team.post, op);
        co_return;
    }
    if (!team.window) {
        team.transport->begin({n, call});
        team.transport->break_off({n, call});
        co_return;
    }
    Window &window = *team.window;
    if (!window.has_credit(n, window.cells())) {
        co_await acquire_credit(home, window, n, window.cells());
    }
    window.announce_call(n, call);
    window.leave(n);
}

} // namespace xcoll

// A user's message as an algorithm like the others: it has a descriptor, but no number.
#include "coll/user_message.h"

#include "coll/window_algorithms.h"

namespace xcoll {

Task user_message(TaskHome &, Team &team, const Op &op, const Fingerprint &, uint64_t) {
    UserMessage steps(team, op);
    steps.start();
    while (!steps.advance()) {
        co_await steps.obstacle();
    }
    steps.finish();
}

} // namespace xcoll

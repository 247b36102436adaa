#include "run/wait.h"

#include <sched.h>

#include <algorithm>

#include "base/clock.h"

namespace xcoll {

namespace {

// Naps grow from one to the other. The longest bounds how late a death is looked for; a process that wakes 50 times a
// second costs nothing.
constexpr int64_t shortest_nap = 50 * microsecond;
constexpr int64_t longest_nap = 20 * millisecond;
// Peers are looked at this often; a death is to be reported within a second.
constexpr int64_t check_interval = 100 * millisecond;
// Looking costs a few system calls per peer: not in waits that are merely slow because the processors are few.
constexpr int64_t first_check = 10 * millisecond;

} // namespace

void wait_slowly(const Until &until, Watch &watch, const Patience &patience) {
    for (int round = 0; round < patience.drives + patience.yields; ++round) {
        if (until.reached()) {
            return;
        }
        if (watch.drive()) {
            continue;
        }
        if (round < patience.drives) {
            cpu_relax();
        } else {
            sched_yield();
        }
    }
    const int64_t start = now_ns();
    int64_t next_check = start + first_check;
    int64_t nap = shortest_nap;
    int idle_rounds = patience.yields; // it has yielded as often already
    while (!until.reached()) {
        const bool moved = watch.drive();
        const int64_t now = now_ns();
        if (now >= next_check) {
            watch.check(until, now - start);
            next_check = now + check_interval;
        }
        if (moved) {
            // A long operation is no reason to sleep as long as it moves.
            nap = shortest_nap;
            idle_rounds = 0;
        } else if (idle_rounds < patience.yields) {
            ++idle_rounds;
            sched_yield();
        } else {
            watch.sleep(until, nap);
            nap = std::min(nap * 2, longest_nap);
        }
    }
    if (next_check > start + first_check) {
        watch.over();
    }
}

} // namespace xcoll

// What becomes of requests that nobody waits for: they are tested, looked on or given up.
#include <sched.h>

#include <algorithm>

#include "base/clock.h"
#include "core/owner.h"
#include "core/process.h"

namespace xcoll {

bool Comm::has_requests() {
    if (!has_in_flight()) {
        return false;
    }
    const Owner owner(*this);
    return !in_flight_.empty();
}

void Comm::wait_until_quiet() {
    Request onlooker(this); // the requests themselves belong to whoever waits for them
    onlooker.starts = 1;
    for (uint32_t left = 0; has_requests();) {
        test(onlooker);
        if (const uint32_t now = in_flight_.told(); now != left) {
            left = now;
            onlooker.waited = 0; // each of them has its own time
        }
    }
}

bool Comm::test(Request &request) {
    const bool moved = drive() || process().drive();
    if (request.done()) {
        return true;
    }
    if (!moved && membership_.node->crowded()) {
        sched_yield(); // a loop of tests is a wait, and a peer may need this processor
    }
    look_after(request);
    return request.done();
}

void Comm::look_after(Request &request) {
    constexpr int64_t look_interval = 100 * millisecond; // as often as a wait looks
    // What its user does between two tests is no wait, however long it takes.
    constexpr int64_t longest_look = 10 * look_interval;
    const int64_t now = now_ns(CLOCK_MONOTONIC_COARSE);
    if (request.looked == 0) {
        request.looked = now;
    }
    const int64_t since = now - request.looked;
    if (since < look_interval) {
        return;
    }
    request.looked = now;
    request.waited += std::min(since, longest_look);
    try {
        watcher_.check(request.until_done(), request.waited);
    } catch (const Failure &failure) {
        fail_for_good(failure);
    }
}

void Comm::forget(Request &request) {
    bool is_over = false;
    {
        const Owner owner(*this);
        is_over = request.has_ended();
    }
    if (!is_over) {
        fail_for_good(
            {XCOLL_ERR_ABORTED, format("rank %d freed a request before it was done", team_.rank), team_.rank});
    }
    await_told(request);
}

} // namespace xcoll

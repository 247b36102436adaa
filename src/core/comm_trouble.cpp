// What a communicator does not survive, and how everything in flight on it ends then. And what it does survive.
#include "core/comm.h"
#include "core/inside.h"
#include "core/owner.h"

namespace xcoll {

void Comm::abort(const char *reason) {
    check_outside_callback(*this);
    const Failure why =
        failure_at(team_.rank, XCOLL_ERR_ABORTED, "rank %d aborted this communicator: %s", team_.rank, reason);
    {
        const Owner owner(*this); // two threads may do this at once
        watcher_.abort(why);      // for a blocking call that another thread is in
    }
    fail_for_good(why);
}

// Tells the peers, and takes back what they were lent: once, as who knows begins no visit any more.
void Comm::give_up(const Failure &why) {
    if (trouble_.is_there()) {
        return;
    }
    trouble_.keep(why);
    recorder().trouble(why.result(), why.what());
    if (window_) {
        window_->say_farewell(why);
        window_->recall();
    } else {
        messages_.transport()->say_farewell(why);
    }
}

void Comm::heed_failure(const Request &request) {
    if (request.is_fatal()) {
        give_up(*request.failure); // before its buffers are their user's again
    } else {
        heed_mismatch(*request.failure, request.n);
    }
}

void Comm::heed_mismatch(const Failure &failure, uint64_t n) {
    if (turns_.heed(failure, n)) {
        tell_in_flight();
    }
}

void Comm::fail_for_good(const Failure &failure) {
    const Owner owner(*this);
    give_up(failure);
    end_in_flight(trouble_.cause());
}

bool Comm::has_left(int p) const {
    if (window_) {
        return window_->board(p).done.reached(all_done);
    }
    const int local = membership_.peers[static_cast<size_t>(p)].node_rank;
    return (team_.transport && team_.transport->has_freed(p)) || (local >= 0 && membership_.node->has_left(local));
}

// A process that is killed closes its connections a moment before it counts as dead.
bool Comm::has_died(int p) const {
    const int local = membership_.peers[static_cast<size_t>(p)].node_rank;
    const bool is_cut_off = team_.transport && team_.transport->has_lost(p);
    const bool is_dead = local >= 0 && !membership_.node->is_alive(local);
    return (is_cut_off || is_dead) && !has_left(p);
}

} // namespace xcoll

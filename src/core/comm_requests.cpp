// Operations in flight on a communicator: how they start, who moves them, how they end.
#include <sched.h>

#include <algorithm>
#include <new>

#include "base/clock.h"
#include "coll/one_shot.h"
#include "coll/window_algorithms.h"
#include "core/owner.h"
#include "core/process.h"
#include "run/runners.h"

namespace xcoll {

void Comm::start(Request &request) {
    try {
        if (request.has_moved) {
            request.what.write_itinerary(team_.rank, team_.size);
            request.has_moved = false;
        }
        if (!is_listed_) {
            process().add(
                *this); // without the owner word: whoever drives the process takes the two the other way round
            is_listed_ = true;
        }
        start_owned(request);
    } catch (const std::bad_alloc &) {
        // The number may be taken, and peers may have seen the head.
        const Failure failure = out_of_memory(team_.rank);
        fail_for_good(failure);
        throw failure;
    }
}

void Comm::start_owned(Request &request) {
    const Op &op = request.what.op;
    // Another thread may have seen what was in flight before, and be about to look at what is.
    const Owner owner(*this);
    throw_trouble();
    if (traits(op.kind).is_message) {
        open_post();
        request.received = {XCOLL_UNDEFINED, XCOLL_UNDEFINED, 0};
        request.what.op.received = &request.received;
        request.recorded = record_message(op);
        request.row = &choices_.row(op);
    } else {
        request.n = take_number();
        request.call = fingerprint(op, mode(op, request.n));
        request.row = &choices_.row(op);
        request.recorded = record(op, request.call, request.n, *request.row);
    }
    request.home = {&frames_, &request.parking};
    request.ticks_per_ns = membership_.node->ticks_per_ns();
    request.failure.reset();
    request.stuck_since = request.next_look = 0;
    request.begun = false;
    request.first_missing = -1;
    in_flight_.push_back(&request);
    ++request.starts;
    try {
        if (request.may_begin()) {
            begin(request);
            request.first_missing = request.plain ? request.missing : -1;
        }
    } catch (const std::bad_alloc &) {
        in_flight_.pop_back();
        request.failure = out_of_memory(team_.rank);
        record_end(request.recorded, request.result());
        request.finish();
        throw;
    }
    request.started = ticks(); // not before: peers see the head meanwhile
    // Whoever sees this count sees everything above.
    in_flight_count_.store(static_cast<uint32_t>(in_flight_.size()), std::memory_order_release);
}

// An operation of a later stage has its number already, so that what is called after the group comes behind it.
void Comm::begin(Request &request) {
    for (const auto &earlier : request.after) {
        if (const auto &why = earlier->failure) {
            request.failure = {why->result(), "an earlier stage of the group failed: " + why->message(), why->rank()};
            request.call = fingerprint(Op{.kind = Kind::refused});
            request.row = &choices_.row(Kind::refused, 0);
        }
    }
    request.begun = true;
    Algorithm algorithm = request.row->run;
    request.plain = algorithm == one_shot && begin_plainly(request, algorithm);
    if (!request.plain) {
        request.task = algorithm(request.home, team_, request.what.op, request.call, request.n);
        request.task.start();
    }
}

// The steps of a blocking call, without a task, for as long as nothing but heads of peers is missing. False: nothing
// was shown, because there is no credit yet or, as `instead` tells then, no room.
bool Comm::begin_plainly(Request &request, Algorithm &instead) {
    const OneShot steps(team_, request.what.op, request.call, request.n);
    if (!window_->has_credit(request.n, steps.credit())) {
        return false;
    }
    if (!steps.enter()) {
        instead = behind_one_shot(request.what.op.kind);
        return false;
    }
    request.missing = missing_head(steps, request.n);
    return true;
}

// A rank whose head it waits for; -1: there is none.
int Comm::missing_head(const OneShot &steps, uint64_t n) const {
    for (int p = 0; p < team_.size; ++p) {
        if (p != team_.rank && steps.reads(p) && !window_->entered(p, n).reached()) {
            return p;
        }
    }
    return -1;
}

// True if it is done.
bool Comm::finish_plainly(Request &request) {
    const OneShot steps(team_, request.what.op, request.call, request.n);
    request.missing = missing_head(steps, request.n);
    if (request.missing >= 0) {
        return false;
    }
    if (steps.finish()) {
        return true;
    }
    request.plain = false;
    request.task = behind_one_shot(request.what.op.kind)(request.home, team_, request.what.op, request.call, request.n);
    request.task.start();
    return false;
}

void Comm::run_as_request(const Call &call) {
    Request request(this, call);
    start(request);
    wait_for(request);
    if (request.failure) {
        throw *request.failure;
    }
}

void Comm::refuse() noexcept {
    Call call;
    call.op.kind = Kind::refused;
    try {
        std::erase_if(refusals_, [](const auto &request) { return request->done(); });
        refusals_.push_back(std::make_unique<Request>(this, std::move(call)));
        start(*refusals_.back());
        drive();
    } catch (const std::bad_alloc &) {
        fail_for_good(out_of_memory(team_.rank)); // peers wait for what was not to be refused
    } catch (const Failure &) {
        // The caller reports why its arguments are not valid; a fatal error is kept for the next call.
    }
}

// It has begun, and would not wait.
bool Comm::can_move(const Request &request) const {
    return request.plain ? request.missing < 0 || window_->entered(request.missing, request.n).reached()
                         : request.task.done() || request.parking.until.reached();
}

// What a request waits for, if a peer's store is what ends that wait.
Until Comm::awaited(const Request &request) {
    const Owner owner(*this);
    const bool by_peer = !request.done() && request.begun && !can_move(request) &&
                         request.row->needs == Row::Needs::window && !traits(request.what.op.kind).is_message;
    if (!by_peer) {
        return {nullptr, 0, -1};
    }
    return request.plain ? window_->entered(request.missing, request.n) : request.parking.until;
}

void Comm::wait_for(Request &request) {
    // As a blocking call waits: for that one store, before anything else is looked at. Above all before the owner word
    // is taken: a locked instruction waits until this rank's own stores have reached the caches, and the peer's head
    // comes meanwhile.
    bool goes_on =
        request.first_missing < 0 || spin(window_->entered(request.first_missing, request.n), patience_.spins);
    while (goes_on && !request.done()) {
        drive();
        if (request.done()) {
            return;
        }
        const Until next = awaited(request);
        goes_on = next.signal && spin(next, patience_.spins);
    }
    try {
        wait(request.until_done(), watcher_, driving(patience_));
    } catch (const Failure &failure) {
        fail_for_good(failure);
    } catch (const std::bad_alloc &) {
        fail_for_good(out_of_memory(team_.rank));
    }
}

void Comm::wait_until_quiet() {
    Request onlooker(this, {}); // the requests themselves belong to whoever waits for them
    onlooker.starts = 1;
    while (has_in_flight()) {
        test(onlooker);
    }
}

bool Comm::drive() {
    if (!has_in_flight()) {
        return false;
    }
    bool moved = false;
    std::optional<Failure> fatal;
    // Nothing may be in flight any more: then the communicator belongs to its caller, who takes no owner word.
    if (const Owner owner(*this, Owner::Try{}); owner && has_in_flight()) {
        moved = progress_messages();
        fatal = poll_in_flight(moved);
    }
    if (fatal) {
        fail_for_good(*fatal);
    }
    return moved;
}

bool Comm::anything_ready() {
    const Owner owner(*this, Owner::Try{});
    // Another thread that is at it looks after all of them, and rings when one is done.
    if (!owner || !has_in_flight()) {
        return false;
    }
    if (post_ && post_->has_news()) {
        return true;
    }
    return std::any_of(in_flight_.begin(), in_flight_.end(), [this](const Request *request) {
        return request->begun ? can_move(*request) : request->may_begin();
    });
}

std::optional<Failure> Comm::poll_in_flight(bool &moved) {
    std::optional<Failure> fatal;
    for (size_t i = 0; i < in_flight_.size();) {
        Request &request = *in_flight_[i];
        if ((!request.begun && !request.may_begin()) || !move(request, moved)) {
            ++i;
            continue;
        }
        moved = true;
        in_flight_.erase(in_flight_.begin() + static_cast<ptrdiff_t>(i));
        if (is_fatal(request.result())) {
            fatal = request.failure;
        }
        end(request);
    }
    in_flight_count_.store(static_cast<uint32_t>(in_flight_.size()), std::memory_order_release);
    return fatal;
}

// Begins it, if it has not begun; true if it is done: then its result is known.
bool Comm::move(Request &request, bool &moved) {
    try {
        if (!request.begun) {
            begin(request);
            moved = true;
        }
        if (request.plain) {
            if (!finish_plainly(request)) {
                moved |= !request.plain;
                return false;
            }
        } else {
            moved |= poll(request.task, request.parking);
            if (!request.task.done()) {
                return false;
            }
            request.task.rethrow();
        }
    } catch (const Failure &failure) {
        request.failure = failure;
    } catch (const std::bad_alloc &) {
        request.failure = out_of_memory(team_.rank);
    }
    request.task = Task();
    if (request.row->needs == Row::Needs::transport && window_) {
        window_->complete(request.n);
    }
    return true;
}

// With the owner word; its result is known.
void Comm::end(Request &request) {
    request.took = ticks() - request.started;
    record_end(request.recorded, request.result());
    for (const auto &observer : request.observers) {
        if (observer) {
            observer->end(request);
        }
    }
    request.finish(); // whoever waits may take it away now
    membership_.node->doorbell().wake_own();
}

bool Comm::observe(Request &request, const std::shared_ptr<Observer> &observer) {
    const Owner owner(*this);
    if (request.done()) {
        return false;
    }
    observer->expect_one_more();
    request.add(observer);
    return true;
}

bool Comm::test(Request &request) {
    const bool moved = drive() || process().drive();
    if (request.done()) {
        return true;
    }
    if (!moved && membership_.node->crowded()) {
        sched_yield(); // a loop of tests is a wait, and a peer may need this processor
    }
    look_after(request, moved);
    return request.done();
}

void Comm::look_after(Request &request, bool moved) {
    constexpr int64_t look_interval = 100 * millisecond; // as often as a wait looks
    const int64_t now = now_ns(CLOCK_MONOTONIC_COARSE);
    if (moved || request.stuck_since == 0) {
        request.stuck_since = now;
    }
    if (request.next_look == 0) {
        request.next_look = now + look_interval;
    }
    if (now < request.next_look) {
        return;
    }
    request.next_look = now + look_interval;
    try {
        watcher_.check(request.until_done(), now - request.stuck_since);
    } catch (const Failure &failure) {
        fail_for_good(failure);
    }
}

void Comm::forget(Request &request) {
    {
        const Owner owner(*this);
        if (request.done()) {
            return;
        }
    }
    fail_for_good({XCOLL_ERR_ABORTED, "a request was freed before it was done", team_.rank});
}

bool Comm::awaits_message(int peer) {
    const Owner owner(*this);
    return post_ && post_->awaits(peer);
}

void Comm::check_message_peers() {
    const Owner owner(*this);
    if (post_) {
        post_->check_present();
    }
}

} // namespace xcoll

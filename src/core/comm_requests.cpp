// How operations are put in flight. How they move and end: comm_progress.cpp.
#include <algorithm>
#include <new>

#include "base/clock.h"
#include "coll/plain_steps.h"
#include "coll/point_to_point.h"
#include "coll/window_algorithms.h"
#include "core/inside.h"
#include "core/owner.h"
#include "core/process.h"
#include "core/starting.h"
#include "fabric/run_ahead.h"
#include "run/runners.h"

namespace xcoll {

inline bool Comm::gets_credit(uint64_t n, uint64_t ahead) {
    if (!window_->has_credit(n, ahead)) [[unlikely]] {
        let_peers_catch_up(*window_, n, ahead, looks_of_start);
        if (!window_->finds_credit(n, ahead)) {
            return false;
        }
        window_->got_credit(n);
    }
    return true;
}

// There is no cell for it, nor will there be before those have one that are in line already. Not asked for stages that
// begin later: their numbers are lower than those of what has been started meanwhile.
inline bool Comm::belongs_in_line(const Request &request) {
    if (!window_ || window_->has_credit(request.n, window_->cells())) [[likely]] {
        return false;
    }
    const bool needs_cell = request.row->needs == Row::Needs::window;
    return needs_cell && (in_flight_.first_in_line() || !gets_credit(request.n, window_->cells()));
}

// Takes the plain steps of a blocking call, without a task, for as long as nothing but heads of peers is missing.
// False: nothing was shown, because there is no credit yet or, as `instead` tells then, no room.
template <Kind manner> inline bool Comm::begin_plainly(Request &request, Algorithm &instead) {
    const PlainSteps<manner> steps(team_, request.what.op, request.call, request.n);
    if (!gets_credit(request.n, steps.credit())) {
        return false;
    }
    if (!steps.enter()) {
        instead = behind_one_shot(request.what.op.kind);
        return false;
    }
    request.missing = 0;
    return true;
}

void Comm::start_task(Request &request, Algorithm algorithm) {
    request.home = {&frames_, &request.parking};
    request.task = algorithm(request.home, team_, request.what.op, request.call, request.n);
    request.task.start();
}

void Comm::fail_behind_failed_stage(Request &request) {
    if (!request.after) {
        return;
    }
    for (const auto &earlier : *request.after) {
        if (const auto &why = earlier->failure) {
            request.failure = {why->result(), "an earlier stage of the group failed: " + why->message(), why->rank()};
            request.is_refused = true;
            request.call = fingerprint(Op{.kind = Kind::refused}, request.stance);
            request.row = &choices_.row(Kind::refused, 0);
        }
    }
    if (window_ && request.is_refused && messages_.transport()) {
        messages_.transport()->cancel_plan(request.n); // its peers see it refused in the window
    }
}

// It has its number, and later ones may begin before it.
void Comm::plan_messages(const Request &request) {
    const bool by_messages = request.n != 0 && (!window_ || request.row->needs == Row::Needs::transport);
    if (by_messages) {
        messages_.transport()->plan(request.n);
    }
}

// An operation of a later stage has its number already, so that what is called after the group comes behind it.
template <Kind manner> inline void Comm::begin_now(Request &request) {
    if constexpr (manner == Kind::none) {
        fail_behind_failed_stage(request);
    }
    request.begun = true;
    Algorithm algorithm = request.row->run;
    if (manner == Kind::none && !algorithm) {
        start_message(request, Sends::yes);
        return;
    }
    request.plain = (manner != Kind::none || algorithm == one_shot) && begin_plainly<manner>(request, algorithm);
    if (!request.plain) {
        start_task(request, algorithm);
    }
}

void Comm::begin(Request &request) {
    begin_now<Kind::none>(request);
}

Kind Comm::manner_of(const Request &request) const {
    const Op &op = request.what.op;
    const bool is_plain = !request.after && has_plain_habit(op, *request.row);
    const bool is_short = !traits(op.kind).own_counts || is_short_exchange(op, team_.rank, team_.size);
    return is_plain && is_short ? op.kind : Kind::none;
}

inline void Comm::give_number(Request &request, Recorded::As as) {
    const Op &op = request.what.op;
    const auto [n, stance] = turns_.take(op);
    request.n = n;
    const bool is_first = !request.row;
    if (is_first) {
        request.row = &choices_.row(op);
        request.manner = manner_of(request);
    }
    if (is_first || request.stance != stance) {
        request.call = fingerprint(op, stance);
        request.stance = stance;
    }
    request.recorded = chronicle_.begin(team_, op, request.call, n, *request.row, as);
}

// With its number, or as a message.
template <Kind manner> inline void Comm::launch(Request &request) {
    request.looked = request.waited = 0;
    request.begun = request.plain = request.is_refused = false;
    request.after_done = 0;
    in_flight_.add(request);
    ++request.starts;
    try {
        if (manner == Kind::none && !request.may_begin()) {
            plan_messages(request);
        } else if (belongs_in_line(request)) [[unlikely]] {
            in_flight_.pay(Attention::in_line, request);
        } else if (manner != Kind::none || !try_defer(request)) {
            if constexpr (manner == Kind::none) {
                begin_deferred();
            }
            begin_now<manner>(request);
        }
    } catch (const std::bad_alloc &) {
        in_flight_.take_out(request);
        request.failure = out_of_memory(team_.rank);
        chronicle_.end(request.recorded, request.result());
        request.finish();
        throw;
    }
    request.began_plainly = request.plain;
    if constexpr (traits(manner).one_way) {
        if (request.plain && try_end_at_once_by_kind(request)) {
            return;
        }
    }
    if (manner == Kind::none && request.message) {
        if (try_end_message(request)) {
            return;
        }
        watch_message(request);
    }
    request.started = request.wants_time() ? ticks() : 0; // not before: peers see the head meanwhile
    tell_in_flight();
}

void Comm::put_in_flight(Request &request) {
    const Op &op = request.what.op;
    trouble_.rethrow();
    if (request.failure) {
        request.failure.reset();
        request.row = nullptr; // it may have been another call then: of a group whose earlier stage failed
    }
    if (traits(op.kind).is_message) {
        open_post();
        request.received = {XCOLL_UNDEFINED, XCOLL_UNDEFINED, 0};
        request.what.op.received = &request.received;
        request.recorded = chronicle_.begin_message(op);
        if (!request.row) {
            request.row = &choices_.row(op);
        }
        if (try_end_send(request)) {
            return;
        }
    } else {
        give_number(request, Recorded::As::beside_others);
    }
    launch<Kind::none>(request);
}

// Where nothing is in flight, all that an operation touches is this thread's: the others go by the count, and who
// brought it to 0 has touched the list before (tell_in_flight). Only messages are looked after all the same, by who
// still waits for an operation that is done. A fatal error that another thread sees may find the count at 0 while this
// thread sees no trouble yet: the next drive() ends what is in flight then.
template <Kind manner> inline void Comm::start_in(Request &request) {
    if (manner != Kind::none && is_quiet() && !request.failure) [[likely]] {
        give_number(request, Recorded::As::operation);
        launch<manner>(request);
    } else {
        start_beside_others(request);
    }
}

void Comm::start_beside_others(Request &request) {
    check_outside_callback(*this);
    if (request.has_moved) {
        request.what.write_itinerary(team_.rank, team_.size);
        request.has_moved = false;
    }
    be_listed();
    const Owner owner(*this, Owner::If{has_in_flight() || traits(request.what.op.kind).is_message});
    get_in_step();
    put_in_flight(request);
}

// Without the owner word: whoever drives the process takes the two the other way round.
void Comm::be_listed() {
    if (!is_listed_) {
        process().add(*this);
        is_listed_ = true;
    }
}

template <Kind manner> void Comm::start_or_fail(Comm &comm, Request &request) {
    try {
        comm.start_in<manner>(request);
    } catch (const std::bad_alloc &) {
        // The number may be taken, and peers may have seen the head.
        const Failure failure = out_of_memory(comm.team_.rank);
        comm.fail_for_good(failure);
        throw failure;
    }
}

void Comm::start(Request &request) {
    static constexpr auto manners = by_habit([]<Kind kind>(KindAsType<kind>) { return &Comm::start_or_fail<kind>; });
    const Starting starting(*this);
    manners[static_cast<size_t>(request.manner)](*this, request);
}

void Comm::run_as_request(const Call &call) {
    Request request(this, call);
    start(request);
    wait_for(request, Timing::no);
    if (request.failure) {
        throw *request.failure;
    }
}

// ---- operations that do not run

namespace {
Op passed_over() {
    Op op;
    op.kind = Kind::refused;
    op.signature = passed_over_signature;
    op.extra_numbers = 1;
    return op;
}
} // namespace

Request &Comm::new_refusal(const Op &shown) {
    while (!refusals_.empty() && refusals_.front()->starts > 0 && refusals_.front()->done()) {
        refusals_.pop_front();
    }
    Call call;
    call.op = shown;
    return *refusals_.emplace_back(std::make_unique<Request>(this, std::move(call)));
}

void Comm::get_in_step() {
    if (turns_.behind() == 0) [[likely]] {
        return;
    }
    while (turns_.pass_over()) {
        put_in_flight(new_refusal(passed_over()));
    }
    turns_.note_in_step();
}

void Comm::catch_up() noexcept {
    bool is_behind = false;
    {
        const Owner owner(*this, Owner::If{has_in_flight()}); // who drives looks whether there is something to start
        is_behind = turns_.pass_over();
    }
    if (is_behind) {
        put_refusal(passed_over()); // behind the others
    }
}

void Comm::refuse() noexcept {
    put_refusal({.kind = Kind::refused});
}

void Comm::put_refusal(const Op &shown) noexcept {
    try {
        start(new_refusal(shown));
        drive();
    } catch (const std::bad_alloc &) {
        fail_for_good(out_of_memory(team_.rank)); // peers wait for what was not to be refused
    } catch (const Failure &) {
        // The caller reports why its arguments are not valid; a fatal error is kept for the next call.
    }
}

void Comm::refuse(const Op &op) noexcept {
    if (traits(op.kind).is_message) {
        withhold(op);
    } else {
        put_refusal({.kind = Kind::refused, .extra_numbers = op.extra_numbers});
    }
}

void Comm::withhold(const Op &message) noexcept {
    if (!window_) {
        return; // no message was accepted
    }
    try {
        be_listed(); // its peer may hear of it only once it has come
        const Owner owner(*this);
        trouble_.rethrow();
        open_post();
        begin_deferred();
        refuse_message(team_.post, message);
        tell_in_flight();
    } catch (const std::bad_alloc &) {
        fail_for_good(out_of_memory(team_.rank)); // peers wait for it
    } catch (const Failure &failure) {
        if (is_fatal(failure.result())) {
            fail_for_good(failure);
        }
    }
}

} // namespace xcoll

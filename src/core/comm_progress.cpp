// How operations in flight move and end: by who waits or drives. By who tests: comm_testing.cpp.
#include <new>

#include "base/clock.h"
#include "coll/plain_steps.h"
#include "coll/window_algorithms.h"
#include "core/inside.h"
#include "core/own_words.h"
#include "core/owner.h"
#include "core/plan.h"
#include "core/process.h"
#include "run/runners.h"

namespace xcoll {

inline uint64_t Comm::time_of(const Request &request, Timing timing) {
    const bool is_timed = request.started != 0 && (timing == Timing::yes || request.observers[0]);
    return is_timed ? ticks() - request.started : 0;
}

// With the owner word; its result is known.
inline void Comm::end(Request &request, uint64_t took) {
    request.took = took;
    if (took != 0) {
        request.ticks_per_ns = membership_.node->ticks_per_ns();
    }
    chronicle_.end(request.recorded, request.result());
    if (request.failure) [[unlikely]] {
        heed_failure(request);
    }
    if (request.observers[0]) [[unlikely]] {
        in_flight_.add_untold(request);
        return;
    }
    request.finish(); // whoever waits may take it away now
    membership_.node->doorbell().wake_own();
}

void Comm::end_in_flight(const Failure &why) {
    if (!has_in_flight()) {
        return; // what the list holds is no longer this thread's to know
    }
    messages_.cancel_all();
    while (Request *request = in_flight_.first()) {
        in_flight_.take_out(*request);
        request->task = Task();
        request->message.reset();
        request->fail(why);
        end(*request, time_of(*request));
    }
    tell_in_flight();
}

// True if it is done.
inline bool Comm::finish_plainly(Request &request) {
    return by_plain_steps(request.what.op.kind, [&]<Kind kind>(KindAsType<kind>) {
        return finish_in(PlainSteps<kind>(team_, request.what.op, request.call, request.n), request);
    });
}

template <class Steps> bool Comm::finish_in(const Steps &steps, Request &request) {
    if (request.missing >= 0) {
        request.missing = missing_head(team_, steps, request.n, request.missing);
        if (request.missing >= 0) {
            return false;
        }
    }
    if (steps.finish(Heads::awaited)) {
        return true;
    }
    request.plain = false;
    start_task(request, behind_one_shot(request.what.op.kind));
    return false;
}

// Begins it, if it has not begun; true if it is done: then its result is known.
inline bool Comm::move(Request &request, bool &moved) {
    try {
        if (!request.begun) {
            begin(request);
            moved = true;
        }
        if (request.message) {
            if (!finish_message(request)) {
                return false;
            }
        } else if (request.plain) {
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
        request.fail(with_own_words(team_.rank, request.what.op, failure));
    } catch (const std::bad_alloc &) {
        request.fail(out_of_memory(team_.rank));
    }
    request.task = Task();
    request.message.reset();
    if (request.row->needs == Row::Needs::transport && window_) {
        window_->complete(request.n);
    }
    return true;
}

// It can go on.
inline void Comm::poll_one(Request &request, bool &moved, std::optional<Failure> &fatal) {
    if (!move(request, moved)) {
        watch_message(request);
        return;
    }
    moved = true;
    in_flight_.take_out(request);
    if (request.is_fatal()) {
        fatal = request.failure;
    }
    end(request, time_of(request));
}

bool Comm::finds_cell_for_first() {
    const Request *first = in_flight_.first_in_line();
    return first && window_->finds_credit(first->n, window_->cells());
}

std::optional<Failure> Comm::poll_in_flight(bool &moved) {
    std::optional<Failure> fatal;
    while (finds_cell_for_first()) {
        in_flight_.pay(Attention::asked, *in_flight_.first_in_line());
    }
    in_flight_.ask_each([&](Request &request) {
        if (request.begun || request.may_begin()) {
            poll_one(request, moved, fatal);
        }
    });
    while (PostWatch *over = messages_.next_over()) {
        poll_one(static_cast<Request &>(*over), moved, fatal);
    }
    tell_in_flight();
    return fatal;
}

bool Comm::drive() {
    if (!has_in_flight()) {
        return false;
    }
    bool moved = false;
    std::optional<Failure> fatal;
    // Nothing may be in flight any more: then the communicator belongs to its caller, who takes no owner word.
    if (const Owner owner(*this, Owner::Try{}); owner && has_in_flight()) {
        if (trouble_.is_there()) {
            end_in_flight(trouble_.cause()); // it was started while the trouble came
            return true;
        }
        try {
            begin_deferred();
        } catch (const std::bad_alloc &) {
            fatal = out_of_memory(team_.rank);
        }
        moved = messages_.progress();
        fatal = fatal ? fatal : poll_in_flight(moved);
    }
    if (fatal) {
        fail_for_good(*fatal);
    }
    return moved;
}

// It has begun, and would not wait.
bool Comm::can_move(const Request &request) const {
    if (request.message) {
        return request.failure || request.message->is_over();
    }
    return request.plain ? request.missing < 0 || window_->entered(request.missing, request.n).reached()
                         : request.task.done() || request.parking.until.reached();
}

// What a request waits for, if a peer's store is what ends that wait.
Until Comm::awaited(const Request &request) {
    const Owner owner(*this);
    const bool by_peer = !request.has_ended() && request.begun && !can_move(request) &&
                         request.row->needs == Row::Needs::window && !traits(request.what.op.kind).is_message;
    if (!by_peer) {
        return {nullptr, 0, -1};
    }
    return request.plain ? window_->entered(request.missing, request.n) : request.parking.until;
}

// False: not in time.
template <class Steps> inline bool Comm::await_heads(const Steps &steps, uint64_t n) {
    steps.pause_before_look();
    for (int p = 0; p < team_.size; ++p) {
        if (p != team_.rank && steps.reads(p) && !spin(window_->entered(p, n), patience_.spins)) {
            return false;
        }
    }
    return true;
}

// Peers may wait for what a fatal error has left undone.
inline void Comm::fail_if_fatal(const Request &request) {
    if (request.is_fatal()) [[unlikely]] {
        fail_for_good(*request.failure);
    }
}

// Of a short message nothing is left to do once it is sent, and one that has come already is received. Unless something
// went wrong, which is seen by who drives.
bool Comm::try_end_message(Request &request) {
    if (request.observers[0] || request.failure || !request.message->is_over()) {
        return false;
    }
    in_flight_.take_out(request);
    bool moved = false;
    move(request, moved);
    end(request, 0);
    return true;
}

// The same of a send that is started again, before it is put in flight: receives that were started before it may wait
// (deferred_receives.cpp). On a Zen 5 groups of two sends and two receives of 8 bytes take 0.16 us like that, and
// 0.22 else.
bool Comm::try_end_send(Request &request) {
    if (request.observers[0] || request.after || request.what.op.kind != Kind::send || !sends_now(request.what.op)) {
        return false;
    }
    ++request.starts;
    claim_if_exchanged(request.what.op);
    end(request, 0);
    return true;
}

// All heads are there. False: the operation goes on in another way. Otherwise its result is known.
template <class Steps> inline bool Comm::take_last_step(const Steps &steps, Request &request, Heads heads) {
    try {
        return steps.finish(heads);
    } catch (const Failure &failure) {
        request.failure = with_own_words(team_.rank, request.what.op, failure);
    } catch (const std::bad_alloc &) {
        request.failure = out_of_memory(team_.rank);
    }
    return true;
}

// A rank that only gives has nothing to wait for, and one that is behind finds what it wants there: then the operation
// ends while nobody else can touch it yet, without the owner word, whose locked instruction would wait until all that
// was written has reached the caches. On a Xeon persistent broadcasts of 8 bytes from one root take 0.048 us like that,
// and 0.08 without; blocking ones 0.04. But functions of users are not called inside of a start.
template <Kind manner> bool Comm::try_end_at_once(Comm &comm, Request &request) {
    const Team &team = comm.team_;
    const PlainSteps<manner> steps(comm.team_, request.what.op, request.call, request.n);
    if (request.observers[0] || missing_head(team, steps, request.n, 0) >= 0 ||
        !comm.take_last_step(steps, request, Heads::were_there)) {
        return false;
    }
    comm.in_flight_.take_out(request);
    {
        const Owner owner(comm, Owner::If{request.is_fatal()}); // another thread may abort meanwhile
        comm.end(request, 0);
    }
    comm.fail_if_fatal(request);
    return true;
}

bool Comm::try_end_at_once_by_kind(Request &request) {
    static constexpr auto manners = by_habit([]<Kind kind>(KindAsType<kind>) { return &Comm::try_end_at_once<kind>; });
    return manners[static_cast<size_t>(request.manner)](*this, request);
}

// For who waits for it and has seen all heads: before all else that is in flight. True if it is done.
template <class Steps> inline bool Comm::finish_at_once(const Steps &steps, Request &request, Timing timing) {
    {
        const Owner owner(*this, Owner::Try{});
        if (!owner || request.has_ended() || !request.plain) {
            return false;
        }
        if (!take_last_step(steps, request, Heads::awaited)) [[unlikely]] {
            return false; // and will not if it is asked again, which whoever drives does
        }
        in_flight_.take_out(request);
        end(request, time_of(request, timing));
        tell_in_flight();
    }
    fail_if_fatal(request);
    return true;
}

// As a blocking call waits: for the peers' heads, before anything else is looked at. Above all before the owner word is
// taken: a locked instruction waits until this rank's own stores have reached the caches, and the heads come meanwhile.
template <Kind manner> void Comm::wait_in(Comm &comm, Request &request, Timing timing) {
    bool is_prompt = true;
    if (request.began_plainly) [[likely]] {
        const PlainSteps<manner> steps(comm.team_, request.what.op, request.call, request.n);
        is_prompt = comm.await_heads(steps, request.n);
        if (is_prompt && comm.finish_at_once(steps, request, timing)) [[likely]] {
            return;
        }
    }
    if constexpr (manner == Kind::none) {
        if (comm.try_receive(request, timing)) {
            return;
        }
    }
    comm.wait_driving(request, is_prompt);
}

void Comm::wait_for(Request &request, Timing timing) {
    static constexpr auto manners = by_habit([]<Kind kind>(KindAsType<kind>) { return &Comm::wait_in<kind>; });
    manners[static_cast<size_t>(request.manner)](*this, request, timing);
}

// With the owner word. True if it is received, with success.
inline bool Comm::receive_deferred(Request &request, Timing timing, Plan *spare) {
    if (trouble_.is_there() || !receives_now(request.what.op)) {
        return false;
    }
    in_flight_.take_out(request);
    end(request, time_of(request, timing));
    if (spare) {
        spare_plans_.keep(std::unique_ptr<Plan>(spare));
    }
    tell_in_flight();
    return true;
}

// Its line has often come by the time that somebody waits for it. Where it has not, the owner word is not held
// meanwhile, and another thread may be faster.
bool Comm::try_receive(Request &request, Timing timing, Plan *spare) {
    if (!traits(request.what.op.kind).is_message) {
        return false;
    }
    std::optional<Until> line;
    {
        const Owner owner(*this);
        if (!is_next_deferred(request)) {
            return false;
        }
        if (receive_deferred(request, timing, spare)) {
            return true;
        }
        line = team_.post->next_line(request.what.op.from);
    }
    if (!line || !spin(*line, for_one_rank(patience_).spins)) {
        return false;
    }
    const Owner owner(*this);
    return is_next_deferred(request) && receive_deferred(request, timing, spare);
}

void Comm::wait_driving(Request &request, bool is_prompt) {
    check_outside_callback(*this);
    while (is_prompt && !request.done()) {
        drive();
        if (request.done()) {
            return;
        }
        const Until next = awaited(request);
        is_prompt = next.signal && spin(next, patience_.spins);
    }
    try {
        wait(request.until_done(), watcher_, driving(patience_));
    } catch (const Failure &failure) {
        fail_for_good(failure);
    } catch (const std::bad_alloc &) {
        fail_for_good(out_of_memory(team_.rank));
    }
    await_told(request);
}

bool Comm::anything_ready() {
    const Owner owner(*this, Owner::Try{});
    // Another thread that is at it looks after all of them, and rings when one is done.
    if (!owner || !has_in_flight()) {
        return false;
    }
    if (in_flight_.first_deferred() || messages_.has_news() || finds_cell_for_first()) {
        return true;
    }
    return in_flight_.find_asked(
        [this](Request &request) { return request.begun ? can_move(request) : request.may_begin(); });
}

} // namespace xcoll

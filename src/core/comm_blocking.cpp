// Operations that block: the steps of the algorithm one after the other, or its task, run to its end.
#include <new>

#include "coll/plain_steps.h"
#include "coll/streams.h"
#include "coll/window_algorithms.h"
#include "core/own_words.h"
#include "core/starting.h"
#include "fabric/run_ahead.h"
#include "run/runners.h"

namespace xcoll {

void Comm::wait_for_credit(uint64_t n, uint64_t ahead) {
    let_peers_catch_up(*window_, n, ahead, looks_of_wait);
    for (int p = 0; p < team_.size; ++p) {
        wait(window_->credit(p, n, ahead), watcher_, patience_);
    }
    window_->got_credit(n);
}

template <Kind kind> inline void Comm::one_shot_now(const Op &op, const Fingerprint &call, uint64_t n) {
    const PlainSteps<kind> steps(team_, op, call, n);
    if (!window_->has_credit(n, steps.credit())) [[unlikely]] {
        wait_for_credit(n, steps.credit());
    }
    bool finished = steps.enter();
    if (finished) [[likely]] {
        steps.pause_before_look();
        Heads heads = Heads::were_there;
        int fetched = 0;
        for (int p = 0; p < team_.size; ++p) {
            if (p == team_.rank || !steps.reads(p)) {
                continue;
            }
            const Until entered = window_->entered(p, n);
            if constexpr (requires { steps.fetches(); }) {
                if (steps.fetches() && !entered.reached()) {
                    steps.fetch(fetched, p);
                    fetched = p;
                }
            }
            if (traits(kind).one_way && !entered.reached()) {
                heads = Heads::awaited;
            }
            wait(entered, watcher_, patience_);
        }
        finished = steps.finish(heads);
    }
    if (!finished) [[unlikely]] {
        run_task(op, call, n, behind_one_shot(op.kind), Row::Needs::window);
    }
}

template <class Steps>
inline void Comm::run_now(const Op &op, const Fingerprint &call, uint64_t n, const Row &row, Steps steps) {
    const Recorded recorded = chronicle_.begin(team_, op, call, n, row);
    try {
        steps();
        chronicle_.end(recorded, XCOLL_SUCCESS);
    } catch (const Failure &failure) {
        chronicle_.end(recorded, failure.result());
        if (is_fatal(failure.result())) {
            fail_for_good(failure);
        } else {
            heed_mismatch(failure, n);
            catch_up();
        }
        throw with_own_words(team_.rank, op, failure);
    } catch (const std::bad_alloc &) {
        chronicle_.end(recorded, XCOLL_ERR_SYSTEM);
        const Failure failure = out_of_memory(team_.rank);
        fail_for_good(failure);
        throw failure;
    }
}

namespace {
bool goes_in_short_exchange(const Team &team, const Op &op, const Row &row) {
    return row.run == exchange_streams && fits_short_exchange(op, team.rank, team.size) &&
           is_short_exchange(op, team.rank, team.size);
}
} // namespace

void Comm::run(const Call &call) {
    const Starting starting(*this);
    const Op &op = call.op;
    if (traits(op.kind).is_message) {
        run_message(call);
        return;
    }
    if (!is_quiet()) [[unlikely]] {
        run_as_request(call);
        return;
    }
    const Turns::Turn turn = turns_.take(op);
    const uint64_t n = turn.n;
    const Fingerprint print = fingerprint(op, turn.stance);
    const Row &row = choices_.row(op);
    run_now(op, print, n, row, [&] {
        if (row.run == one_shot) {
            one_shot_now<Kind::none>(op, print, n);
        } else if (row.run == joined_shot) {
            one_shot_now<Kind::group_reduce>(op, print, n);
        } else if (goes_in_short_exchange(team_, op, row)) {
            by_plain_steps(op.kind, [&]<Kind kind>(KindAsType<kind>) { one_shot_now<kind>(op, print, n); });
        } else if (row.run == exchange_streams || row.run == exchange_attached) {
            streams_now(op, print, n);
        } else {
            run_task(op, print, n, row.run, row.needs);
        }
    });
}

// ---- calls like the one before

bool Comm::has_plain_habit(const Op &op, const Row &row) const {
    const bool goes_in_one_shot = row.run == one_shot && traits(op.kind).has_habit && !op.in && !op.user;
    return goes_in_one_shot || row.run == joined_shot ||
           (row.run == exchange_streams && fits_short_exchange(op, team_.rank, team_.size));
}

void Comm::learn(Habit &habit, const Call &call) {
    const Op &op = call.op;
    if (traits(op.kind).is_message) {
        if (!op.in && !op.out) {
            habit.know(call, {}, {}, nullptr);
        }
        return;
    }
    const Row &row = choices_.row(op);
    if (has_plain_habit(op, row)) {
        habit.know(call, fingerprint(op, turns_.stance()), turns_.stance(), &row);
    }
}

template <Kind kind> void Comm::run_again(Known &known) {
    const Starting starting(*this);
    const Op &op = known.call.op;
    if constexpr (traits(kind).is_message) {
        run_message(known.call);
        return;
    }
    if constexpr (traits(kind).own_counts) {
        if (!ShortExchange<kind>::is_short(op, team_.rank, team_.size)) {
            run(known.call);
            return;
        }
    }
    if (!is_quiet()) [[unlikely]] {
        run_as_request(known.call);
        return;
    }
    if constexpr (traits(kind).same_counts) { // others than before, perhaps
        known.row = &choices_.row(op);
        if (known.row->run != one_shot) {
            run(known.call);
            return;
        }
    }
    const Turns::Turn turn = turns_.take(op);
    const uint64_t n = turn.n;
    if (traits(kind).same_counts || known.stance != turn.stance) [[unlikely]] {
        known.fingerprint = fingerprint(op, turn.stance);
        known.stance = turn.stance;
    }
    run_now(op, known.fingerprint, n, *known.row, [&] { one_shot_now<kind>(op, known.fingerprint, n); });
}

namespace {
// Makes them for src/api, which has but their declaration.
[[gnu::used]] constexpr auto runs_again = by_habit([]<Kind kind>(KindAsType<kind>) { return &Comm::run_again<kind>; });
} // namespace
template void Comm::run_again<Kind::send>(Known &);
template void Comm::run_again<Kind::recv>(Known &);
template void Comm::run_again<Kind::sendrecv>(Known &);

// ---- everything else

// The steps of exchange_streams.cpp.
void Comm::streams_now(const Op &op, const Fingerprint &call, uint64_t n) {
    const Exchange exchange(op, team_.rank, team_.size);
    Streams steps(team_, exchange, call, n);
    if (!window_->has_credit(n, steps.credit())) [[unlikely]] {
        wait_for_credit(n, steps.credit());
    }
    const bool has_room = steps.take_room();
    if (steps.wants_slot() || !has_room) {
        if (!window_->has_credit(n, slot_count)) {
            wait_for_credit(n, slot_count);
        }
        steps.take_slot();
    }
    steps.enter();
    steps.pause_before_look();
    for (int p = 0; p < team_.size; ++p) {
        if (p != team_.rank && steps.concerns(p)) {
            steps.use_time_until_entered(p);
            wait(window_->entered(p, n), watcher_, patience_);
        }
    }
    steps.settle();
    while (!steps.knows_parts()) {
        wait(steps.obstacle(), watcher_, patience_);
    }
    steps.move_own(); // all of it not before: where calls do not match, nothing moves
    while (!steps.advance()) {
        wait(steps.obstacle(), watcher_, patience_);
    }
    steps.finish();
}

// Before the frame goes away that the messages may still point into. Peers give back what they have not taken of them
// once they know why.
void Comm::cancel_for_good(const Failure &failure) {
    fail_for_good(failure);
    messages_.cancel_all();
}

void Comm::run_task(const Op &op, const Fingerprint &call, uint64_t n, Algorithm algorithm, Row::Needs needs) {
    Parking parking;
    TaskHome home{&frames_, &parking};
    Task task = algorithm(home, team_, op, call, n);
    const bool by_messages = needs == Row::Needs::transport;
    try {
        run_to_end(task, parking, watcher_, by_messages ? driving(patience_) : patience_);
    } catch (const Failure &failure) {
        if (is_fatal(failure.result())) {
            cancel_for_good(failure);
        } else if (by_messages && window_) {
            window_->complete(n);
        }
        throw;
    } catch (const std::bad_alloc &) {
        cancel_for_good(out_of_memory(team_.rank));
        throw;
    }
    if (by_messages && window_) {
        window_->complete(n);
    }
}

} // namespace xcoll

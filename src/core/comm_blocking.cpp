// Operations that block: the steps of the algorithm one after the other, or its task, run to its end.
#include <new>

#include "coll/one_shot.h"
#include "coll/point_to_point.h"
#include "coll/streams.h"
#include "coll/window_algorithms.h"
#include "core/comm.h"
#include "run/runners.h"

namespace xcoll {

namespace {

// Its message comes in a line of one peer, where a wait sees it without driving anything.
bool may_wait_on_line(const Op &op) {
    return op.kind == Kind::send || (op.kind == Kind::recv && !needs_drive(op.from));
}

} // namespace

void Comm::wait_for_credit(uint64_t n, uint64_t ahead) {
    for (int p = 0; p < team_.size; ++p) {
        wait(window_->credit(p, n, ahead), watcher_, patience_);
    }
    window_->saw_everyone(n - ahead);
}

inline void Comm::one_shot_now(const Op &op, const Fingerprint &call, uint64_t n) {
    const OneShot steps(team_, op, call, n);
    if (!window_->has_credit(n, steps.credit())) [[unlikely]] {
        wait_for_credit(n, steps.credit());
    }
    bool finished = steps.enter();
    if (finished) [[likely]] {
        for (int p = 0; p < team_.size; ++p) {
            if (p != team_.rank && steps.reads(p)) {
                wait(window_->entered(p, n), watcher_, patience_);
            }
        }
        finished = steps.finish();
    }
    if (!finished) [[unlikely]] {
        run_task(op, call, n, behind_one_shot(op.kind), Row::Needs::window);
    }
}

inline void Comm::run_now(const Op &op, const Fingerprint &call, uint64_t n) {
    const Row &row = choices_.row(op);
    const Recorded recorded = record(op, call, n, row);
    try {
        if (row.run == one_shot) {
            one_shot_now(op, call, n);
        } else if (row.run == exchange_streams) {
            streams_now(op, call, n);
        } else {
            run_task(op, call, n, row.run, row.needs);
        }
        record_end(recorded, XCOLL_SUCCESS);
    } catch (const Failure &failure) {
        record_end(recorded, failure.result());
        if (is_fatal(failure.result())) {
            fail_for_good(failure);
        }
        throw;
    } catch (const std::bad_alloc &) {
        record_end(recorded, XCOLL_ERR_SYSTEM);
        const Failure failure = out_of_memory(team_.rank);
        fail_for_good(failure);
        throw failure;
    }
}

void Comm::run(const Call &call) {
    if (traits(call.op.kind).is_message) {
        run_message(call);
    } else if (is_quiet()) [[likely]] {
        const uint64_t n = take_number();
        run_now(call.op, fingerprint(call.op, mode(call.op, n)), n);
    } else {
        run_as_request(call);
    }
}

void Comm::open_post() {
    if (!post_) {
        post_ = std::make_unique<Post>(*window_, *team_.kernels);
        team_.post = post_.get();
    }
}

void Comm::cancel_messages() {
    if (transport_) {
        transport_->cancel_all();
    }
    if (post_) {
        post_->cancel_all();
    }
}

// Users' messages have no number: they are matched by their tags.
void Comm::run_message(const Call &call) {
    if (!is_quiet()) {
        run_as_request(call);
        return;
    }
    const Recorded recorded = record_message(call.op);
    try {
        open_post();
        run_task(call.op, {}, 0, user_message, Row::Needs::window);
        record_end(recorded, XCOLL_SUCCESS);
    } catch (const Failure &failure) {
        record_end(recorded, failure.result());
        if (is_fatal(failure.result())) {
            fail_for_good(failure);
        }
        throw;
    } catch (const std::bad_alloc &) {
        record_end(recorded, XCOLL_ERR_NO_MEMORY);
        throw;
    }
}

// The steps of exchange_streams.cpp.
void Comm::streams_now(const Op &op, const Fingerprint &call, uint64_t n) {
    const Exchange exchange(op, team_.rank, team_.size);
    Streams steps(team_, exchange, call, n);
    if (!window_->has_credit(n, cell_count)) {
        wait_for_credit(n, cell_count);
    }
    const bool has_room = steps.take_room();
    if (steps.wants_slot() || !has_room) {
        if (!window_->has_credit(n, slot_count)) {
            wait_for_credit(n, slot_count);
        }
        steps.take_slot();
    }
    steps.enter();
    steps.move_own();
    for (int p = 0; p < team_.size; ++p) {
        if (p != team_.rank && steps.concerns(p)) {
            wait(window_->entered(p, n), watcher_, patience_);
        }
    }
    steps.settle();
    while (!steps.advance()) {
        wait(steps.obstacle(), watcher_, patience_);
    }
    steps.finish();
}

void Comm::run_task(const Op &op, const Fingerprint &call, uint64_t n, Algorithm algorithm, Row::Needs needs) {
    Parking parking;
    TaskHome home{&frames_, &parking};
    Task task = algorithm(home, team_, op, call, n);
    const bool by_messages = needs == Row::Needs::transport;
    try {
        const bool moves_when_driven = by_messages || (traits(op.kind).is_message && !may_wait_on_line(op));
        run_to_end(task, parking, watcher_, moves_when_driven ? driving(patience_) : patience_);
    } catch (const Failure &failure) {
        // Before the frame goes away that the messages may still point into.
        if (is_fatal(failure.result())) {
            cancel_messages();
        } else if (by_messages && window_) {
            window_->complete(n);
        }
        throw;
    } catch (const std::bad_alloc &) {
        cancel_messages();
        throw;
    }
    if (by_messages && window_) {
        window_->complete(n);
    }
}

} // namespace xcoll

#include "core/plan.h"

#include <algorithm>

#include "core/comm.h"
#include "core/wait_any.h"

namespace xcoll {

void refuse(std::span<const std::shared_ptr<Request>> operations) noexcept {
    for (const auto &operation : operations) {
        operation->comm->refuse(operation->what.op);
    }
}

void Plan::make_persistent() {
    persistent_ = true;
    for (const auto &operation : operations()) {
        operation->what.op.form = Form::persistent;
        operation->comm_life = operation->comm->life();
    }
}

void Plan::fail_to_start(const Failure &trouble) {
    if (!failure) {
        failure = trouble;
    }
    if (observer_) {
        observer_->end(&trouble);
    }
}

void Plan::arm_observer() {
    const size_t ends = operations().size();
    observer_->arm(std::max<size_t>(ends, 1));
    if (ends == 0) {
        observer_->end(nullptr); // no operation will, of a group without calls
    }
}

bool Plan::wait_for(int64_t timeout_ms) {
    if (timeout_ms < 0) {
        wait();
        return true;
    }
    Plan *const self = this;
    return wait_any({&self, 1}, timeout_ms) == 0;
}

bool Plan::done() const {
    return std::all_of(operations().begin(), operations().end(),
                       [](const auto &operation) { return operation->done(); });
}

bool Plan::test() {
    for (const auto &operation : operations()) {
        if (!operation->done() && !operation->comm->test(*operation)) {
            return false;
        }
    }
    return true;
}

bool Plan::test_part(const Part &part) {
    Request &operation = *operations()[part.operation];
    return operation.done() || operation.comm->test(operation);
}

void Plan::wait_for_part(const Part &part) {
    Request &operation = *operations()[part.operation];
    if (!operation.done()) {
        operation.comm->wait_for(operation);
    }
}

void Plan::move_buffer(const Part &part, Call::Slot slot, const void *to, bool as_a_whole) {
    Request &operation = *operations()[part.operation];
    operation.what.move_buffer(part.index, slot, to, as_a_whole);
    operation.has_moved = operation.what.op.kind == Kind::group;
}

void Plan::observe(Observer::Function function, void *context) {
    if (is_shared_) {
        Observer once(function, context, {});
        once.arm(1);
        once.end(*first_);
        return;
    }
    std::vector<const Comm *> comms;
    for (const auto &operation : operations()) {
        comms.push_back(operation->comm);
    }
    observer_ = std::make_shared<Observer>(function, context, std::move(comms));
    if (!active) {
        for (const auto &operation : operations()) {
            operation->add(observer_);
        }
        return;
    }
    observer_->arm(1); // until all operations are looked at
    for (const auto &operation : operations()) {
        // The communicator of one that is done may be gone, and nobody else looks at it.
        if (operation->done() || !operation->comm->observe(*operation, observer_)) {
            operation->add(observer_);
            observer_->expect_one_more();
            observer_->end(*operation);
        }
    }
    observer_->end(failure ? &*failure : nullptr);
}

void Plan::give_up() {
    for (const auto &operation : operations()) {
        if (!operation->done()) {
            operation->comm->forget(*operation);
        }
    }
    magic_ = 0;
}

} // namespace xcoll

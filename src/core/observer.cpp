#include "core/observer.h"

#include <utility>

#include "core/status.h"

namespace xcoll {

namespace {
// One thread tells of one operation at a time, and its calls from within are its own.
thread_local const Comm *told_of = nullptr;
} // namespace

const Comm *Observer::told() {
    return told_of;
}

void Observer::arm(size_t ends) {
    const std::lock_guard lock(mutex_);
    ends_ = ends;
    status_ = empty_status();
}

void Observer::expect_one_more() {
    const std::lock_guard lock(mutex_);
    ++ends_;
}

void Observer::end(const Request &operation) {
    {
        const std::lock_guard lock(mutex_);
        add_operation(status_, operation);
    }
    one_less(operation.comm);
}

void Observer::end(const Failure *failure) {
    if (failure) {
        const std::lock_guard lock(mutex_);
        add_failure(status_, *failure);
    }
    one_less(nullptr);
}

void Observer::one_less(const Comm *owned) {
    xcoll_status_t status;
    {
        const std::lock_guard lock(mutex_);
        if (--ends_ > 0) {
            return;
        }
        status = status_;
    }
    const Comm *before = std::exchange(told_of, owned);
    function_(context_, &status);
    told_of = before;
}

} // namespace xcoll

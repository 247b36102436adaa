#include "core/observer.h"

#include <algorithm>
#include <utility>

#include "core/comm.h"

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
    status_ = {};
    status_.source = status_.tag = status_.rank = XCOLL_UNDEFINED;
}

void Observer::expect_one_more() {
    const std::lock_guard lock(mutex_);
    ++ends_;
}

// With the lock.
void Observer::note(xcoll_result_t result) {
    if (status_.result == XCOLL_SUCCESS) {
        status_.result = result;
    }
}

void Observer::end(const Request &operation) {
    {
        const std::lock_guard lock(mutex_);
        note(operation.result);
        status_.sequence = std::max(status_.sequence, operation.n);
        if (operation.received.source != XCOLL_UNDEFINED) {
            status_.source = operation.received.source;
            status_.tag = operation.received.tag;
            status_.bytes = operation.received.bytes;
        }
    }
    end(operation.comm);
}

void Observer::end(xcoll_result_t result) {
    {
        const std::lock_guard lock(mutex_);
        note(result);
    }
    end(nullptr);
}

void Observer::end(const Comm *owned) {
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

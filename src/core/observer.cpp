#include "core/observer.h"

#include <algorithm>
#include <utility>

#include "core/process.h"
#include "core/status.h"
#include "core/thread_group.h"

namespace xcoll {

namespace {
// Whose function the thread is in, as xcoll_request_on_done was given it. A call from within names no object that could
// hold this.
thread_local const Observer *telling = nullptr;
} // namespace

void Observer::check_outside_callback(const Comm &comm) {
    if (telling && std::find(telling->comms_.begin(), telling->comms_.end(), &comm) != telling->comms_.end()) {
        fail(XCOLL_ERR_STATE, "this is called by a function given to xcoll_request_on_done, which may not use the "
                              "communicators of the request that it is told about");
    }
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
    one_less();
}

void Observer::end(const Failure *failure) {
    if (failure) {
        const std::lock_guard lock(mutex_);
        add_failure(status_, *failure);
    }
    one_less();
}

void Observer::one_less() {
    xcoll_status_t status;
    {
        const std::lock_guard lock(mutex_);
        if (--ends_ > 0) {
            return;
        }
        status = status_;
    }
    const Observer *before = std::exchange(telling, this);
    process().thread_enters();
    {
        const OutsideGroup outside;
        function_(context_, &status);
    }
    process().thread_leaves();
    telling = before;
}

} // namespace xcoll

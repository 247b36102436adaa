#include "core/observer.h"

#include <algorithm>
#include <utility>

#include "core/status.h"
#include "core/thread_group.h"

namespace xcoll {

bool Observer::is_about(const Comm &comm) const {
    return std::find(comms_.begin(), comms_.end(), &comm) != comms_.end() || (around_ && around_->is_about(comm));
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
    around_ = std::exchange(inside_of_thread().telling, this);
    process().thread_enters();
    {
        const OutsideGroup outside;
        function_(context_, &status);
    }
    process().thread_leaves();
    inside_of_thread().telling = around_;
}

} // namespace xcoll

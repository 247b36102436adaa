// What a handle of the user's must be to be used as a request. Each throws ARGUMENT or STATE.
#pragma once

#include "api/handle.h"
#include "core/plan.h"
#include "xcoll.h"

namespace xcoll::api {

[[noreturn]] void fail_bad_request(const Plan *plan);
inline Plan &checked_request(xcoll_request_t handle) {
    check_may_wait();
    Plan *plan = request_of(handle);
    if (!plan || !plan->is_alive() || plan->recorded) [[unlikely]] {
        fail_bad_request(plan);
    }
    return *plan;
}
// Persistent, not active, its communicators alive. `list`: the caller's array that it is in.
[[noreturn]] void fail_not_startable(const xcoll_request_t &handle, const xcoll_request_t *list);
inline Plan &checked_startable(const xcoll_request_t &handle, const xcoll_request_t *list = nullptr) {
    Plan &plan = checked_request(handle);
    if (!plan.is_persistent() || plan.active || !plan.can_start()) [[unlikely]] {
        fail_not_startable(handle, list);
    }
    return plan;
}
Plan::Part checked_part(const Plan &plan, size_t part);

} // namespace xcoll::api

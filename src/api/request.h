// What a handle of the user's must be to be used as a request. Each throws ARGUMENT or STATE.
#pragma once

#include "core/plan.h"
#include "xcoll.h"

namespace xcoll::api {

Plan &checked_request(xcoll_request_t handle);
// Persistent, not active, its communicators alive. `index`: where it is in the caller's array.
Plan &checked_startable(xcoll_request_t handle, const size_t *index = nullptr);
Plan::Part checked_part(const Plan &plan, size_t part);

} // namespace xcoll::api

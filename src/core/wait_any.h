// A wait for the first of several plans, or for a limited time: no single store of a peer ends it.
#pragma once

#include <span>

#include "core/plan.h"

namespace xcoll {

// The number of one that is done. plans.size(): the time was over before, or there is nothing to wait for. Those that
// are nullptr are passed over. timeout_ms < 0: no limit.
size_t wait_any(std::span<Plan *const> plans, int64_t timeout_ms = -1);

} // namespace xcoll

// What users are told about a request: one status of all its operations.
#pragma once

#include "core/request.h"
#include "xcoll.h"

namespace xcoll {

inline xcoll_status_t empty_status() {
    xcoll_status_t status{};
    status.source = status.tag = status.rank = XCOLL_UNDEFINED;
    return status;
}

// The first failure stays.
void add_failure(xcoll_status_t &status, const Failure &failure);
// One that is done.
void add_operation(xcoll_status_t &status, const Request &operation);

} // namespace xcoll

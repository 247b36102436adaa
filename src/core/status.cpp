#include "core/status.h"

#include <algorithm>

namespace xcoll {

void add_failure(xcoll_status_t &status, const Failure &failure) {
    if (status.result == XCOLL_SUCCESS) {
        status.result = failure.result();
        status.rank = failure.rank();
    }
}

void add_operation(xcoll_status_t &status, const Request &operation) {
    status.sequence = std::max(status.sequence, operation.n);
    if (operation.received.source != XCOLL_UNDEFINED) {
        status.source = operation.received.source;
        status.tag = operation.received.tag;
        status.bytes = operation.received.bytes;
    }
    status.elapsed_ns = std::max(status.elapsed_ns, operation.elapsed_ns());
    if (operation.failure) {
        add_failure(status, *operation.failure);
    }
}

} // namespace xcoll

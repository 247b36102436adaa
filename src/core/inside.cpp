#include "core/inside.h"

#include "base/error.h"
#include "core/observer.h"

namespace xcoll {

namespace {

thread_local Inside inside;

} // namespace

Inside &inside_of_thread() {
    return inside;
}

void fail_inside_operator() {
    fail(XCOLL_ERR_STATE, "this is called by the function of an operator, which may start and wait for nothing, as it "
                          "runs amid the operation that combines with it: call this before or after that one");
}

void check_outside(const Observer &telling, const Comm &comm) {
    if (telling.is_about(comm)) {
        fail(XCOLL_ERR_STATE, "this is called by a function given to xcoll_request_on_done, which may not use the "
                              "communicators of the request that it is told about");
    }
}

} // namespace xcoll

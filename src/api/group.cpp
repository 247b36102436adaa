// Groups of calls.
#include <memory>

#include "api/handle.h"
#include "core/group.h"

namespace xcoll::api {

namespace {

// The plan of the outermost group; nullptr at the end of an inner one.
std::unique_ptr<Plan> end_of_group() {
    check_not_forked();
    const std::unique_ptr<Group> group = close_group();
    return group ? group->plan() : nullptr;
}

} // namespace

} // namespace xcoll::api

using namespace xcoll::api;
using xcoll::fail;
using xcoll::Group;
using xcoll::Plan;

extern "C" {

xcoll_result_t xcoll_group_start(void) {
    return guarded(__func__, [] {
        check_not_forked();
        xcoll::open_group();
    });
}

xcoll_result_t xcoll_group_then(void) {
    return guarded(__func__, [] {
        if (!xcoll::any_group_open()) {
            fail(XCOLL_ERR_STATE, "no group is open on this thread: expected xcoll_group_start before");
        }
        xcoll::current_group()->then();
    });
}

xcoll_result_t xcoll_group_cancel(void) {
    return guarded(__func__, [] {
        while (xcoll::any_group_open()) {
            if (const std::unique_ptr<Group> group = xcoll::close_group()) {
                group->cancel(xcoll::Failure(XCOLL_ERR_ABORTED, "the group of this call was cancelled"));
            }
        }
    });
}

xcoll_result_t xcoll_group_end(void) {
    return guarded(__func__, [] {
        if (const std::unique_ptr<Plan> plan = end_of_group()) {
            plan->start();
            plan->wait(); // for those with requests of their own as well: they were under way together
            plan->check();
        }
    });
}

xcoll_result_t xcoll_group_iend(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        out(request, "request") = XCOLL_REQUEST_NULL;
        if (std::unique_ptr<Plan> plan = end_of_group()) {
            plan->start();
            *request = handle_of(plan.release());
        }
    });
}

xcoll_result_t xcoll_group_end_init(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        out(request, "request") = XCOLL_REQUEST_NULL;
        if (xcoll::any_group_open() && xcoll::current_group()->has_requests()) {
            fail(XCOLL_ERR_STATE, "a call of this group has a request of its own, so the group cannot be persistent");
        }
        if (std::unique_ptr<Plan> plan = end_of_group()) {
            plan->make_persistent();
            *request = handle_of(plan.release());
        }
    });
}
}

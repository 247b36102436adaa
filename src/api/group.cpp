// Groups of calls.
#include <memory>

#include "api/handle.h"
#include "core/thread_group.h"

namespace xcoll::api {

namespace {

// The outermost group; nullptr at the end of an inner one.
OwnGroup ended_group() {
    check_not_forked();
    return close_group();
}
std::unique_ptr<Plan> plan_of_group(Group::Use use) {
    const OwnGroup group = ended_group();
    return group ? group->plan(use) : nullptr;
}

} // namespace

} // namespace xcoll::api

using namespace xcoll::api;
using xcoll::fail;
using xcoll::Group;
using xcoll::OwnGroup;
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
        Group *const group = xcoll::current_group();
        if (!group) {
            fail(XCOLL_ERR_STATE, "no group is open on this thread: expected xcoll_group_start before");
        }
        group->then();
    });
}

xcoll_result_t xcoll_group_cancel(void) {
    return guarded(__func__, [] {
        while (xcoll::current_group()) {
            if (const OwnGroup group = xcoll::close_group()) {
                group->cancel(xcoll::Failure(XCOLL_ERR_ABORTED, "the group of this call was cancelled"));
            }
        }
    });
}

xcoll_result_t xcoll_group_end(void) {
    return guarded(__func__, [] {
        if (const OwnGroup group = ended_group()) {
            group->run();
        }
    });
}

xcoll_result_t xcoll_group_iend(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        out(request, "request") = XCOLL_REQUEST_NULL;
        if (std::unique_ptr<Plan> plan = plan_of_group(Group::Use::now)) {
            plan->start();
            *request = handle_of(plan.release());
        }
    });
}

xcoll_result_t xcoll_group_end_init(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        out(request, "request") = XCOLL_REQUEST_NULL;
        if (const Group *group = xcoll::current_group(); group && group->has_requests()) {
            fail(XCOLL_ERR_STATE, "a call of this group has a request of its own, so the group cannot be persistent");
        }
        if (std::unique_ptr<Plan> plan = plan_of_group(Group::Use::later)) {
            plan->make_persistent();
            *request = handle_of(plan.release());
        }
    });
}
}

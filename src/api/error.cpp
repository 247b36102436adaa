// Errors: names, meanings, and the last one of each thread.
#include <cstdio>

#include "api/handle.h"

namespace xcoll::api {

namespace {
// Per thread and not per communicator: the caller asks after a call failed, when there may be no communicator. Room
// that is there before memory is short; what does not fit is cut off.
thread_local char last_error[2048];
} // namespace

xcoll_result_t report(const char *function, const Failure &failure) noexcept {
    std::snprintf(last_error, sizeof last_error, "%s: %s", function, failure.what());
    return failure.result();
}

xcoll_result_t report_current(const char *function) noexcept {
    return report(function, caught());
}

void fail_forked() {
    fail(XCOLL_ERR_STATE, "this process is a child of fork: it has no part in its parent's communicators. Call xcoll "
                          "after exec, under xcollrun without XCOLL_CONTROL_FD, or fork before xcoll_init");
}

void fail_bad_comm(const Comm *comm, const char *name) {
    fail(XCOLL_ERR_ARGUMENT, "%s is %s", name,
         comm ? "not a communicator, or was freed" : "XCOLL_COMM_NULL: expected a communicator");
}

} // namespace xcoll::api

extern "C" {

const char *xcoll_error_name(xcoll_result_t result) {
    return xcoll::result_name(result);
}

const char *xcoll_error_string(xcoll_result_t result) {
    return xcoll::result_string(result);
}

const char *xcoll_last_error(void) {
    return xcoll::api::last_error;
}

xcoll_result_t xcoll_version(int *major, int *minor, int *patch) {
    const auto tell = [](int *to, int value) {
        if (to) {
            *to = value;
        }
    };
    tell(major, XCOLL_VERSION_MAJOR);
    tell(minor, XCOLL_VERSION_MINOR);
    tell(patch, XCOLL_VERSION_PATCH);
    return XCOLL_SUCCESS;
}
}

// From the handles of the ABI to the objects of the core and back, and from exceptions to codes: the one place where
// errors are translated.
#pragma once

#include <new>
#include <string>

#include "core/comm.h"
#include "core/inside.h"
#include "core/plan.h"
#include "core/process.h"
#include "xcoll.h"

namespace xcoll::api {

inline Comm *comm_of(xcoll_comm_t handle) {
    return reinterpret_cast<Comm *>(handle);
}
inline xcoll_comm_t handle_of(Comm *comm) {
    return reinterpret_cast<xcoll_comm_t>(comm);
}
inline Plan *request_of(xcoll_request_t handle) {
    return reinterpret_cast<Plan *>(handle);
}
inline xcoll_request_t handle_of(Plan *plan) {
    return reinterpret_cast<xcoll_request_t>(plan);
}

// Remembers the message for xcoll_last_error and returns the code.
xcoll_result_t report(const char *function, const Failure &failure) noexcept;
// The exception that is being handled.
xcoll_result_t report_current(const char *function) noexcept;

// Calls body() and turns what it throws into a code.
template <class Body> xcoll_result_t guarded(const char *function, Body body) noexcept {
    try {
        body();
        return XCOLL_SUCCESS;
    } catch (...) {
        return report_current(function);
    }
}

// ---- checks that every function shares; they throw
[[noreturn]] void fail_forked();
inline void check_not_forked() {
    if (process().forked()) [[unlikely]] {
        fail_forked();
    }
}
// And of those that start or wait for something: not in the function of an operator.
inline void check_may_wait() {
    check_not_forked();
    check_outside_operators();
}
[[noreturn]] void fail_bad_comm(const Comm *comm, const char *name);
inline Comm &checked(xcoll_comm_t handle, const char *name = "comm") {
    Comm *comm = comm_of(handle);
    check_not_forked();
    if (!comm || !comm->is_alive()) [[unlikely]] {
        fail_bad_comm(comm, name);
    }
    return *comm;
}
// Streams belong to accelerators.
inline void check_stream(xcoll_stream_t stream) {
    if (stream) {
        fail(XCOLL_ERR_ARGUMENT, "stream is %p: expected NULL on a communicator of processors", stream);
    }
}
template <class T> T &at(T *pointer, const char *name, const char *what) {
    if (!pointer) {
        fail(XCOLL_ERR_ARGUMENT, "%s is NULL: expected the address of %s", name, what);
    }
    return *pointer;
}
template <class T> T &out(T *pointer, const char *name) {
    return at(pointer, name, "the result");
}
template <class T> T &handle_at(T *pointer, const char *name) {
    return at(pointer, name, "a handle");
}

} // namespace xcoll::api

// Requests: test and wait in their variants, start, parts, free.
#include "api/request.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/handle.h"
#include "core/status.h"
#include "core/wait_any.h"

namespace xcoll::api {

void fail_bad_request(const Plan *plan) {
    if (!plan || !plan->is_alive()) {
        fail(XCOLL_ERR_ARGUMENT, plan ? "request is not a request, or was waited for already"
                                      : "request is XCOLL_REQUEST_NULL: expected a request");
    }
    fail(XCOLL_ERR_STATE, "request belongs to a call of a group that has not ended: call xcoll_group_end first");
}

void fail_not_startable(const xcoll_request_t &handle, const xcoll_request_t *list) {
    const Plan &plan = *request_of(handle);
    const std::string name = list ? xcoll::format("requests[%td]", &handle - list) : "request";
    if (const xcoll_request_t *first = list ? std::find(list, &handle, handle) : &handle; first != &handle) {
        fail(XCOLL_ERR_STATE, "%s is requests[%td] once more: expected each request once", name.c_str(), first - list);
    }
    fail(plan.is_persistent() ? XCOLL_ERR_STATE : XCOLL_ERR_ARGUMENT, "%s %s", name.c_str(),
         !plan.is_persistent() ? "is not persistent: expected one from a function that ends in _init"
         : plan.active         ? "is active: wait for it first"
                               : "belongs to a communicator that was freed: free the request as well");
}

Plan::Part checked_part(const Plan &plan, size_t part) {
    const size_t parts = plan.parts();
    if (parts == 0) {
        fail(XCOLL_ERR_ARGUMENT, "part %zu of a request that has no calls, as its group had none: there is no part",
             part);
    }
    if (part >= parts) {
        fail(XCOLL_ERR_ARGUMENT, "part %zu of a request of %zu calls: expected 0 to %zu", part, parts, parts - 1);
    }
    return plan.part(part);
}

namespace {

// It is not the user's any more.
std::unique_ptr<Plan> take(xcoll_request_t &handle) {
    Plan *const plan = request_of(std::exchange(handle, XCOLL_REQUEST_NULL));
    return std::unique_ptr<Plan>(plan->is_shared() ? nullptr : plan);
}

// Throws, and nothing has happened, if the calling thread may not use a communicator of it.
void release(xcoll_request_t &handle) {
    request_of(handle)->for_each_operation([](const Request &operation) {
        if (!operation.done()) {
            xcoll::check_outside_callback(*operation.comm);
        }
    });
    if (const std::unique_ptr<Plan> plan = take(handle)) {
        plan->give_up();
    }
}

[[gnu::noinline]] void consume_last(xcoll_request_t &handle) {
    if (const std::unique_ptr<Plan> last = take(handle)) {
        last->give_up();
        last->check();
    }
}

// The end of a request that is done: it becomes NULL, a persistent one inactive. Throws what went wrong with it.
[[gnu::always_inline]] inline void consume(xcoll_request_t &handle) {
    Plan &plan = *request_of(handle);
    if (plan.is_persistent()) {
        plan.active = false;
        plan.check();
    } else {
        consume_last(handle);
    }
}

// All of them or none: each is active from the moment it is found, so that none is found twice.
void start_all(size_t count, xcoll_request_t requests[]) {
    size_t found = 0;
    try {
        for (; found < count; ++found) {
            checked_startable(requests[found], requests).active = true;
        }
    } catch (...) {
        while (found > 0) {
            request_of(requests[--found])->active = false;
        }
        throw;
    }
    // Behind one that cannot be started as well: peers wait for those on other communicators.
    for (size_t i = 0; i < count; ++i) {
        request_of(requests[i])->start();
    }
    for (size_t i = 0; i < count; ++i) {
        request_of(requests[i])->check_started();
    }
}

// What there is to wait for; nullptr: nothing. The status of what cannot be waited for says so.
Plan *active(xcoll_request_t handle, xcoll_status_t *status = nullptr) {
    if (handle == XCOLL_REQUEST_NULL) {
        return nullptr;
    }
    try {
        Plan &plan = checked_request(handle);
        return plan.active ? &plan : nullptr;
    } catch (const Failure &refusal) {
        if (status) {
            *status = xcoll::empty_status();
            xcoll::add_failure(*status, refusal);
        }
        throw;
    }
}

// The same of one of many.
Plan *active_of(const xcoll_request_t requests[], size_t i, xcoll_status_t *status = nullptr) {
    try {
        return active(requests[i], status);
    } catch (const Failure &refusal) {
        throw Failure(refusal.result(), xcoll::format("requests[%zu]: %s", i, refusal.what()), refusal.rank());
    }
}

// A part to wait for, or nothing: then it is over. Which part is meant must be clear all the same, unless there is no
// request.
struct ActivePart {
    Plan &plan;
    Plan::Part part;
};
std::optional<ActivePart> part_of(xcoll_request_t handle, size_t index) {
    if (handle == XCOLL_REQUEST_NULL) {
        return std::nullopt;
    }
    Plan &plan = checked_request(handle);
    const Plan::Part part = checked_part(plan, index);
    return plan.active ? std::optional(ActivePart{plan, part}) : std::nullopt;
}

// is_done is what the caller is told: another thread may end the request right after the look that found it under way.
void fill(xcoll_status_t *status, const Plan *plan, bool is_done) {
    if (!status) {
        return;
    }
    *status = xcoll::empty_status();
    if (!plan) {
        return;
    }
    if (!is_done) {
        status->result = XCOLL_IN_PROGRESS;
        return;
    }
    if (plan->failure) {
        add_failure(*status, *plan->failure);
    }
    for (const auto &operation : plan->operations()) {
        if (plan->is_persistent()) {
            operation->is_timed = true;
        }
        add_operation(*status, *operation);
    }
}

[[gnu::always_inline]] inline void end(xcoll_request_t &handle, Plan *plan, xcoll_status_t *status) {
    if (plan && !status && (plan->is_shared() || plan->receive_and_go())) {
        handle = XCOLL_REQUEST_NULL;
        return;
    }
    if (plan) {
        plan->wait(status ? xcoll::Timing::yes : xcoll::Timing::no);
    }
    fill(status, plan, true);
    if (plan) {
        consume(handle);
    }
}

void wait_for_all(size_t count, xcoll_request_t requests[], xcoll_status_t statuses[]) {
    if (count != 0) {
        handle_at(requests, "requests");
    }
    std::optional<Failure> first;
    for (size_t i = 0; i < count; ++i) {
        try {
            xcoll_status_t *const status = statuses ? &statuses[i] : nullptr;
            end(requests[i], active_of(requests, i, status), status);
        } catch (...) {
            first = first ? first : caught();
        }
    }
    if (first) {
        throw *first;
    }
}

} // namespace

} // namespace xcoll::api

using namespace xcoll::api;
using xcoll::fail;
using xcoll::Plan;

extern "C" {

xcoll_result_t xcoll_test(xcoll_request_t *request, int *done) {
    return guarded(__func__, [&] {
        xcoll_request_t &handle = handle_at(request, "request");
        out(done, "done") = 0;
        Plan *plan = active(handle);
        *done = 1; // also if it has ended with an error
        if (plan && !plan->test()) {
            *done = 0;
        } else if (plan) {
            consume(handle);
        }
    });
}

xcoll_result_t xcoll_wait(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        xcoll_request_t &handle = handle_at(request, "request");
        end(handle, active(handle), nullptr);
    });
}

xcoll_result_t xcoll_wait_for(xcoll_request_t *request, int64_t timeout_ms, int *done, xcoll_status_t *status) {
    return guarded(__func__, [&] {
        xcoll_request_t &handle = handle_at(request, "request");
        out(done, "done") = 0;
        Plan *plan = active(handle, status);
        *done = 1; // also if it has ended with an error
        if (plan && !plan->wait_for(timeout_ms)) {
            *done = 0;
        }
        fill(status, plan, *done);
        if (plan && *done) {
            consume(handle);
        }
    });
}

xcoll_result_t xcoll_waitall(size_t count, xcoll_request_t requests[]) {
    return guarded(__func__, [&] { wait_for_all(count, requests, nullptr); });
}

xcoll_result_t xcoll_waitall_status(size_t count, xcoll_request_t requests[], xcoll_status_t statuses[]) {
    return guarded(__func__, [&] { wait_for_all(count, requests, statuses); });
}

xcoll_result_t xcoll_waitany(size_t count, xcoll_request_t requests[], size_t *index) {
    return guarded(__func__, [&] {
        out(index, "index") = count;
        if (count != 0) {
            handle_at(requests, "requests");
        }
        std::vector<Plan *> plans;
        for (size_t i = 0; i < count; ++i) {
            plans.push_back(active_of(requests, i));
        }
        *index = xcoll::wait_any(plans);
        if (*index < count) {
            consume(requests[*index]);
        }
    });
}

xcoll_result_t xcoll_start(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        Plan &plan = checked_startable(handle_at(request, "request"));
        plan.start();
        plan.check_started();
    });
}

xcoll_result_t xcoll_startall(size_t count, xcoll_request_t requests[]) {
    return guarded(__func__, [&] {
        if (count != 0) {
            handle_at(requests, "requests");
        }
        start_all(count, requests);
    });
}

xcoll_result_t xcoll_start_enqueue(xcoll_request_t *request, xcoll_stream_t stream) {
    return guarded(__func__, [&] {
        Plan &plan = checked_startable(handle_at(request, "request"));
        try {
            check_stream(stream);
        } catch (...) {
            refuse(plan.operations());
            throw;
        }
        for (const auto &operation : plan.operations()) {
            operation->comm->wait_until_quiet();
        }
        plan.start();
        plan.wait();
        plan.active = false;
        plan.check();
    });
}

xcoll_result_t xcoll_test_part(xcoll_request_t request, size_t part, int *done) {
    return guarded(__func__, [&] {
        out(done, "done") = 0;
        const auto one = part_of(request, part);
        *done = 1;
        if (one) {
            *done = one->plan.test_part(one->part);
            if (*done) {
                one->plan.check_part(one->part);
            }
        }
    });
}

xcoll_result_t xcoll_wait_part(xcoll_request_t request, size_t part) {
    return guarded(__func__, [&] {
        if (const auto one = part_of(request, part)) {
            one->plan.wait_for_part(one->part);
            one->plan.check_part(one->part);
        }
    });
}

xcoll_result_t xcoll_request_on_done(xcoll_request_t request, void (*fn)(void *context, const xcoll_status_t *status),
                                     void *context) {
    return guarded(__func__, [&] {
        Plan &plan = checked_request(request);
        if (!fn) {
            fail(XCOLL_ERR_ARGUMENT, "fn is NULL: expected the function to call");
        }
        if (plan.is_observed()) {
            fail(XCOLL_ERR_STATE, "request has such a function already: it can have one");
        }
        plan.observe(fn, context);
    });
}

xcoll_result_t xcoll_request_free(xcoll_request_t *request) {
    return guarded(__func__, [&] {
        xcoll_request_t &handle = handle_at(request, "request");
        if (handle != XCOLL_REQUEST_NULL) {
            checked_request(handle);
            release(handle);
        }
    });
}
}

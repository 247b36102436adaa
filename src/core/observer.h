// Whoever wants to be told that a request is done: xcoll_request_on_done.
//
// The last of the request's operations to end tells it, on the thread that moves that operation, before anybody can see
// that the request is done: so what the function uses may be taken away as soon as a wait has returned. When that
// is, and on which thread, differs from rank to rank, so the function may not use the communicators of the request,
// whose operations all ranks start in one order. A function that waits for something else may find other ends, of which
// others are told within it: these may not use its communicators either.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "xcoll.h"

namespace xcoll {

class Comm;
struct Request;

class Observer {
public:
    using Function = void (*)(void *context, const xcoll_status_t *status);
    Observer(Function function, void *context, std::vector<const Comm *> comms)
        : function_(function), context_(context), comms_(std::move(comms)) {
    }

    // So many ends are still to come.
    void arm(size_t ends);
    void expect_one_more();
    // One of them: of an operation, on whichever thread.
    void end(const Request &operation);
    // Of one that could not begin; of nothing that went wrong: nullptr.
    void end(const Failure *failure);

    // This function, or one that waits around it, is told of a request on this communicator.
    bool is_about(const Comm &comm) const;

private:
    void one_less();
    const Function function_;
    void *const context_;
    const std::vector<const Comm *> comms_; // of the request, to be compared: they may be gone
    std::mutex mutex_;
    size_t ends_ = 0;
    xcoll_status_t status_{};
    const Observer *around_ = nullptr; // while it is told: whose function waits, in which this end was found
};

} // namespace xcoll

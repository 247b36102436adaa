// Whoever wants to be told that a request is done: xcoll_request_on_done.
//
// The last of the request's operations to end tells it, on the thread that moves that operation, before anybody can see
// that the request is done: so what the function uses may be taken away as soon as a wait has returned. That thread
// holds the owner word of the operation's communicator meanwhile, so the function may not use that communicator
// (core/owner.h refuses it).
#pragma once

#include <mutex>

#include "base/error.h"
#include "xcoll.h"

namespace xcoll {

class Comm;
struct Request;

class Observer {
public:
    using Function = void (*)(void *context, const xcoll_status_t *status);
    Observer(Function function, void *context) : function_(function), context_(context) {
    }

    // So many ends are still to come.
    void arm(size_t ends);
    void expect_one_more();
    // One of them: of an operation, on whichever thread.
    void end(const Request &operation);
    // Of one that could not begin; of nothing that went wrong: nullptr.
    void end(const Failure *failure);

    // The communicator whose operation this thread is telling of, or nullptr.
    static const Comm *told();

private:
    // The thread has the word of `owned`.
    void one_less(const Comm *owned);
    const Function function_;
    void *const context_;
    std::mutex mutex_;
    size_t ends_ = 0;
    xcoll_status_t status_{};
};

} // namespace xcoll

// XCOLL_CHECK: that one thread at a time starts operations on a communicator. Two of them would give their operations
// numbers in an order that no peer knows, and share what belongs to one.
#pragma once

#include <atomic>
#include <thread>

#include "base/error.h"
#include "core/comm.h"

namespace xcoll {

// While a thread is in a call that starts something. Calls may be made of others, on the same thread.
class Comm::Starting {
public:
    explicit Starting(Comm &comm) : starter_(comm.checks_ && enters(comm.starter_) ? &comm.starter_ : nullptr) {
    }
    ~Starting() {
        if (starter_) [[unlikely]] {
            starter_->store({}, std::memory_order_relaxed);
        }
    }
    Starting(const Starting &) = delete;
    Starting &operator=(const Starting &) = delete;

private:
    // False: it is in one already.
    static bool enters(std::atomic<std::thread::id> &starter) {
        std::thread::id inside;
        if (starter.compare_exchange_strong(inside, std::this_thread::get_id(), std::memory_order_relaxed)) {
            return true;
        }
        if (inside == std::this_thread::get_id()) {
            return false;
        }
        fail(XCOLL_ERR_STATE, "another thread is in a call that starts an operation on this communicator: expected one "
                              "at a time (noticed because of XCOLL_CHECK), or a communicator for each thread");
    }
    std::atomic<std::thread::id> *const starter_;
};

} // namespace xcoll

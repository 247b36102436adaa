// Who may touch a communicator that has requests in flight.
#pragma once

#include <thread>

#include "base/task.h"
#include "core/comm.h"
#include "core/observer.h"

namespace xcoll {

class Comm::Owner {
public:
    struct Try {};
    explicit Owner(Comm &comm) : comm_(comm), owns_(true) {
        for (int polls = 0; comm.owned_.exchange(true, std::memory_order_acquire); ++polls) {
            // Held for as long as a copy takes, or its holder has lost the processor.
            constexpr int patient_polls = 100;
            if (polls == patient_polls && Observer::told() == &comm) {
                fail(XCOLL_ERR_STATE, "this is called by a function given to xcoll_request_on_done, which may not use "
                                      "the communicator that it is told about");
            }
            polls < patient_polls ? cpu_relax() : std::this_thread::yield();
        }
    }
    Owner(Comm &comm, Try) : comm_(comm), owns_(!comm.owned_.exchange(true, std::memory_order_acquire)) {
    }
    ~Owner() {
        if (owns_) {
            comm_.owned_.store(false, std::memory_order_release);
        }
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    explicit operator bool() const {
        return owns_;
    }

private:
    Comm &comm_;
    bool owns_;
};

} // namespace xcoll

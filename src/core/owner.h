// Who may touch a communicator that has requests in flight.
#pragma once

#include <thread>

#include "base/task.h"
#include "base/threads.h"
#include "core/comm.h"

namespace xcoll {

class Comm::Owner {
public:
    struct Try {};
    struct If {
        bool is_shared;
    };
    explicit Owner(Comm &comm) : Owner(comm, If{true}) {
    }
    Owner(Comm &comm, If condition) : comm_(comm), owns_(condition.is_shared) {
        if (owns_ && !take()) {
            take_patiently();
        }
    }
    Owner(Comm &comm, Try) : comm_(comm), owns_(take()) {
    }
    ~Owner() {
        if (owns_) {
            const RequestList ended = comm_.in_flight_.take_untold();
            comm_.owned_.store(false, std::memory_order_release);
            if (ended.first()) [[unlikely]] {
                comm_.tell(ended);
            }
        }
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    explicit operator bool() const {
        return owns_;
    }

private:
    bool take() {
        if (has_threads()) {
            return !comm_.owned_.exchange(true, std::memory_order_acquire);
        }
        const bool was_owned = comm_.owned_.load(std::memory_order_relaxed);
        comm_.owned_.store(true, std::memory_order_relaxed);
        return !was_owned;
    }
    void take_patiently() {
        for (int polls = 1; !take(); ++polls) {
            // Held for as long as a copy takes, or its holder has lost the processor.
            constexpr int patient_polls = 100;
            polls < patient_polls ? cpu_relax() : std::this_thread::yield();
        }
    }
    Comm &comm_;
    const bool owns_;
};

} // namespace xcoll

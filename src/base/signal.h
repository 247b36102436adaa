// Completion is always a number in memory that only grows.
#pragma once

#include <atomic>
#include <cstdint>

namespace xcoll {

// One writer, any readers, in private or in shared memory. A reader that sees the value sees everything that the
// writer wrote before it: the store releases, the load acquires.
class Signal {
public:
    uint64_t read() const {
        return value_.load(std::memory_order_acquire);
    }
    bool reached(uint64_t value) const {
        return read() >= value;
    }
    // Writer only. Where waiters may sleep, through a doorbell (fabric/doorbell.h).
    void store(uint64_t value) {
        value_.store(value, std::memory_order_release);
    }

private:
    std::atomic<uint64_t> value_{0};
};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "signals are shared between processes");

// What is waited for: the only thing that can be. `owner` is the rank (of the same communicator) that will write it,
// for messages, for finding out whether it is still alive, and for its doorbell; -1 if it is not a rank.
struct Until {
    const Signal *signal;
    uint64_t value;
    int owner;
    bool reached() const {
        return signal->reached(value);
    }
};

} // namespace xcoll

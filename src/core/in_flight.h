// The requests of a communicator that are in flight: a list for whoever holds the owner word, and a count for
// everybody. As long as the count is 0, the list is the starting thread's alone, as everything else of the
// communicator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/request.h"

namespace xcoll {

class InFlight {
public:
    // ---- the count, as it was told last; any thread
    bool any() const {
        return told_.load(std::memory_order_acquire) != 0;
    }
    uint32_t told() const {
        return told_.load(std::memory_order_relaxed);
    }
    // The last that a thread does to the list: whoever sees this count sees everything before it. `others` count as
    // well, which are not in the list.
    void tell(size_t others) {
        told_.store(static_cast<uint32_t>(list_.size() + others), std::memory_order_release);
    }

    // ---- the list
    const std::vector<Request *> &list() const {
        return list_;
    }
    void add(Request &request) {
        list_.push_back(&request);
    }
    void take_out_last() {
        list_.pop_back();
    }
    void take_out(const Request &request) {
        if (list_.back() == &request) [[likely]] {
            list_.pop_back();
        } else {
            std::erase(list_, &request);
        }
    }
    void take_out_at(size_t place) {
        list_.erase(list_.begin() + static_cast<ptrdiff_t>(place));
    }
    void clear() {
        list_.clear();
    }

private:
    std::vector<Request *> list_;
    std::atomic<uint32_t> told_{0};
};

} // namespace xcoll

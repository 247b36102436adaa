// The first fatal error of a communicator, which does not survive it.
#pragma once

#include <atomic>
#include <optional>

#include "base/error.h"

namespace xcoll {

class Trouble {
public:
    // XCOLL_SUCCESS: there is none. Any thread, here and below, without the owner word: the cause is written first.
    xcoll_result_t result() const {
        return result_.load(std::memory_order_acquire);
    }
    bool is_there() const {
        return result() != XCOLL_SUCCESS;
    }
    const Failure &cause() const {
        return *cause_;
    }
    void rethrow() const {
        if (is_there()) {
            throw cause();
        }
    }
    // Once, with the owner word.
    void keep(const Failure &cause) {
        cause_ = cause;
        result_.store(cause.result(), std::memory_order_release);
    }

private:
    std::atomic<xcoll_result_t> result_{XCOLL_SUCCESS};
    std::optional<Failure> cause_;
};

} // namespace xcoll

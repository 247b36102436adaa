// The numbers that one rank gives its operations on a communicator, one after the other and with a stance, and whether
// it gives the same ones as its peers: a call that does not match theirs may have taken fewer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/error.h"
#include "base/float_mode.h"
#include "base/op.h"

namespace xcoll {

class Turns {
public:
    struct Turn {
        uint64_t n;
        Stance stance;
    };

    // How many were taken. Any thread.
    uint64_t taken() const {
        return last_.load(std::memory_order_relaxed);
    }

    // ---- by the thread that starts operations
    [[gnu::always_inline]] Turn take(const Op &op) {
        const uint64_t n = taken() + 1;
        last_.store(n, std::memory_order_relaxed);
        if (adds_floats(op)) {
            stance_.set_mode(float_mode());
        }
        if (op.extra_numbers != 0) [[unlikely]] {
            stance_.take_extra_numbers(op.extra_numbers);
        }
        return {n, stance_};
    }
    // That the next operation of this kind would have, unless the mode of floats changes.
    Stance stance() const {
        return stance_;
    }

    // ---- with the owner word, or when nothing is in flight
    // Operations that this rank is to pass over.
    int behind() const {
        return behind_;
    }
    // Operation n has failed. True if the rank is behind now: not if it began before it was in step again.
    bool heed(const Failure &failure, uint64_t n) {
        if (failure.behind() == 0 || n <= in_step_since_) {
            return false;
        }
        behind_ = std::max(behind_, failure.behind());
        return true;
    }
    // True if there is one to pass over: the next turn that is taken.
    bool pass_over() {
        const bool is_behind = behind_ > 0;
        behind_ -= is_behind ? 1 : 0;
        return is_behind;
    }
    // All were passed over.
    void note_in_step() {
        in_step_since_ = taken();
    }

private:
    std::atomic<uint64_t> last_{0};
    Stance stance_;
    int behind_ = 0;
    uint64_t in_step_since_ = 0;
};

} // namespace xcoll

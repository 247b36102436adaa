// CLOCK_MONOTONIC, nearly, for a fraction of its price: the clock is asked now and then, and the processor's counter
// tells how long ago that was.
//
//     clock     |---- 100 us ----|---- 100 us ----|          asked only when it is wanted
//     counter    ^ ^^   ^  ^      ^     ^^  ^      ^ ^^      at most 0.2 us off: its speed is known to 0.1 %
//
// By one thread at a time. It never goes back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace xcoll {

class NearClock {
public:
    explicit NearClock(double ticks_per_ns)
        : ticks_per_ns_(ticks_per_ns), lasting_(in_ticks(lasting_ns)), prompt_(in_ticks(prompt_ns)) {
    }
    int64_t now() {
        uint64_t counter = ticks();
        if (counter - counter_ >= lasting_) [[unlikely]] { // or it is another processor's, and behind
            ask();
            counter = counter_;
        }
        last_ = std::max(last_, clock_ + static_cast<int64_t>(static_cast<double>(counter - counter_) / ticks_per_ns_));
        return last_;
    }

private:
    static constexpr int64_t lasting_ns = 100 * microsecond;
    // Between two looks at the counter with one at the clock between them; longer, and somebody else had the processor.
    static constexpr int64_t prompt_ns = 1 * microsecond;
    static constexpr int most_attempts = 8;

    uint64_t in_ticks(int64_t ns) const {
        return static_cast<uint64_t>(static_cast<double>(ns) * ticks_per_ns_);
    }
    void ask() {
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            const uint64_t before = ticks();
            clock_ = now_ns();
            counter_ = ticks();
            if (counter_ - before <= prompt_) {
                return;
            }
        }
    }

    double ticks_per_ns_;
    uint64_t lasting_, prompt_;
    uint64_t counter_ = 0;
    int64_t clock_ = 0, last_ = 0;
};

} // namespace xcoll

// Whether payloads are written with ordinary or with non-temporal stores: learned by timing, never by asking the
// hypervisor. Rewriting a line that the other core has read costs 6 ns under one L3, 27 ns across two, and a
// non-temporal store 2.3 ns always; but a line stored past the cache is read back from memory, which under one L3 costs
// more than it saves. So: as long as ordinary stores are cheap, use them.
//
// A local choice: it may change at any message, and peers need not know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

#include "kernels/kernels.h"

namespace xcoll {

class StoreKind {
public:
    enum class Rule : uint8_t { learn, cached, stream };

    StoreKind(Rule rule, double ticks_per_ns) : rule_(rule), dear_(static_cast<float>(dear_ns * ticks_per_ns)) {
    }
    // How fast ticks() counts; takes some 100 us.
    static double ticks_per_ns();

    // A smaller payload is written with ordinary stores: it is gone before streaming pays.
    static constexpr size_t smallest_streamed = 2048;
    // From here on a measurement costs little beside the copy; below, one message in so many is timed.
    static constexpr size_t always_timed = 8192;

    void copy(const Kernels &kernels, void *to, const void *from, size_t bytes) {
        if (bytes < smallest_streamed || rule_ == Rule::cached) {
            kernels.copy(to, from, bytes);
            return;
        }
        ++messages_;
        const uint32_t interval = streaming() ? retry_interval : bytes < always_timed ? timing_interval : 1;
        if (rule_ == Rule::stream || messages_ % interval != 0) {
            (streaming() ? kernels.copy_stream : kernels.copy)(to, from, bytes);
            return;
        }
        const uint64_t start = ticks();
        kernels.copy(to, from, bytes);
        learn(ticks() - start, bytes);
    }
    bool streaming() const {
        return rule_ == Rule::stream || ticks_per_line_ > dear_;
    }

private:
    // While streaming, one message in so many is written with ordinary stores, to notice when the machine has changed.
    static constexpr uint32_t retry_interval = 64;
    static constexpr uint32_t timing_interval = 16;
    // A line in the payload ring, written with ordinary stores: 0.4 to 1.5 ns under one L3, 5 to 9 ns across two; a
    // streamed one 1 to 2.3 ns always (measured on Zen 4 and 5).
    static constexpr double dear_ns = 4;

    static uint64_t ticks() {
#if defined(__x86_64__)
        return __rdtsc();
#else
        timespec time;
        clock_gettime(CLOCK_MONOTONIC_RAW, &time);
        return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
#endif
    }
    // A fourth of the news, and a limit to bad news: one interrupt in a copy does not turn the choice, some slow
    // copies in a row do.
    void learn(uint64_t spent, size_t bytes) {
        const float now = static_cast<float>(spent) * 64 / static_cast<float>(bytes);
        ticks_per_line_ += (std::min(now, 2 * dear_) - ticks_per_line_) / 4;
    }

    Rule rule_;
    uint32_t messages_ = 0;
    float ticks_per_line_ = 0;
    float dear_; // in ticks per line
};

} // namespace xcoll

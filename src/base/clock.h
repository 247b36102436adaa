// The clock that all processes of a machine share (CLOCK_MONOTONIC): it never goes back and knows nothing of the day.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace xcoll {

inline constexpr int64_t microsecond = 1'000;
inline constexpr int64_t millisecond = 1'000 * microsecond;
inline constexpr int64_t second = 1'000 * millisecond;

// CLOCK_MONOTONIC_COARSE costs a fifth and is late by up to 4 ms.
inline int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
    timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * second + now.tv_nsec;
}

// A counter of the processor, for durations: a tenth of the price.
inline uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#else
    return static_cast<uint64_t>(now_ns(CLOCK_MONOTONIC_RAW));
#endif
}
// How fast it counts; takes some 100 us.
double measure_ticks_per_ns();

inline int64_t now_ms() {
    return now_ns() / millisecond;
}

inline constexpr int64_t never_ms = INT64_MAX;

inline timespec timespec_of(int64_t ns) {
    return {static_cast<time_t>(ns / second), static_cast<long>(ns % second)};
}

} // namespace xcoll

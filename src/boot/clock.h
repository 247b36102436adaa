// Deadlines of what happens while the ranks find each other.
#pragma once

#include <cstdint>
#include <ctime>

namespace xcoll {

constexpr int64_t never_ms = INT64_MAX;

inline int64_t milliseconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

} // namespace xcoll

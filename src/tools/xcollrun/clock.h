#pragma once

#include <cstdint>
#include <ctime>

namespace xcoll::launcher {

inline int64_t milliseconds_now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

} // namespace xcoll::launcher

#include "fabric/store_kind.h"

#include <ctime>

namespace xcoll {

namespace {
int64_t clock_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}
} // namespace

double StoreKind::ticks_per_ns() {
    constexpr int64_t long_enough_ns = 100'000; // 0.1 % of it is the clock's own cost
    const int64_t start = clock_ns();
    const uint64_t first = ticks();
    int64_t now = start;
    while (now - start < long_enough_ns) {
        now = clock_ns();
    }
    return static_cast<double>(ticks() - first) / static_cast<double>(now - start);
}

} // namespace xcoll

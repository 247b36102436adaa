#include "fabric/store_kind.h"

#include "base/clock.h"

namespace xcoll {

double StoreKind::ticks_per_ns() {
    constexpr int64_t long_enough_ns = 100'000; // 0.1 % of it is the clock's own cost
    const int64_t start = now_ns();
    const uint64_t first = ticks();
    int64_t now = start;
    while (now - start < long_enough_ns) {
        now = now_ns();
    }
    return static_cast<double>(ticks() - first) / static_cast<double>(now - start);
}

} // namespace xcoll

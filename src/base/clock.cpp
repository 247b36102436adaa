#include "base/clock.h"

#include <algorithm>
#include <iterator>

namespace xcoll {

namespace {
double measure_once() {
    constexpr int64_t long_enough_ns = 35'000; // 0.1 % of it is the clock's own cost
    const int64_t start = now_ns();
    const uint64_t first = ticks();
    int64_t now = start;
    while (now - start < long_enough_ns) {
        now = now_ns();
    }
    return static_cast<double>(ticks() - first) / static_cast<double>(now - start);
}
} // namespace

// The middle one: whoever loses the processor between the two clocks is far off.
double measure_ticks_per_ns() {
    double measured[] = {measure_once(), measure_once(), measure_once()};
    std::sort(std::begin(measured), std::end(measured));
    return measured[1];
}

} // namespace xcoll

// The clocks: what they cost is measured elsewhere, what they say must be the time.
#include "cmocka_cpp.h"

#include <ctime>

#include "base/near_clock.h"

using namespace xcoll;

namespace {

void the_counter_counts(void **) {
    assert_true(measure_ticks_per_ns() > 0.001);
}

// Far more than it may be off, far less than the time that passes here: one that asked once, or that took ticks for
// nanoseconds, is found out.
constexpr int64_t off = millisecond;

void the_near_clock_tells_the_time_and_never_goes_back(void **) {
    NearClock clock(measure_ticks_per_ns());
    int64_t last = 0;
    for (const int64_t end = now_ns() + 50 * millisecond; last < end;) {
        const int64_t before = now_ns();
        const int64_t told = clock.now();
        assert_true(told >= last);
        assert_true(told >= before - off);
        assert_true(told <= now_ns() + off);
        last = told;
    }
    const timespec nap = timespec_of(20 * millisecond);
    nanosleep(&nap, nullptr);
    const int64_t before = now_ns();
    assert_true(clock.now() >= before - off);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_counts),
        cmocka_unit_test(the_near_clock_tells_the_time_and_never_goes_back),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

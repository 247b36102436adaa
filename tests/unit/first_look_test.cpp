// A rank that publishes and then looks learns from how long lines take to come whether the look should wait.
#include "cmocka_cpp.h"

#include "fabric/first_look.h"

using xcoll::FirstLook;

namespace {

constexpr double ticks_per_ns = 2;
constexpr int64_t near = 40 * 2, far = 150 * 2, preempted = 5'000'000 * 2;

void learn(FirstLook &look, int times, int64_t took) {
    for (int i = 0; i < times; ++i) {
        look.learn(took);
    }
}

void looks_do_not_wait_until_something_is_known(void **) {
    const FirstLook look(ticks_per_ns);
    assert_int_equal(look.pause_length(), 0);
}

void looks_for_lines_that_are_near_do_not_wait(void **) {
    FirstLook look(ticks_per_ns);
    learn(look, 100, near);
    assert_int_equal(look.pause_length(), 0);
}

void looks_for_lines_that_come_from_afar_wait_for_a_part_of_the_trip(void **) {
    FirstLook look(ticks_per_ns);
    learn(look, 100, far);
    assert_true(look.pause_length() > static_cast<uint64_t>(far) / 10);
    assert_true(look.pause_length() < static_cast<uint64_t>(far) / 3);
}

void ranks_that_have_moved_are_noticed(void **) {
    FirstLook look(ticks_per_ns);
    learn(look, 1000, near);
    learn(look, 20, far);
    assert_true(look.pause_length() > 0);
    learn(look, 20, near);
    assert_int_equal(look.pause_length(), 0);
}

void who_lost_the_processor_has_measured_nothing(void **) {
    FirstLook look(ticks_per_ns);
    learn(look, 100, near);
    learn(look, 1, preempted);
    assert_int_equal(look.pause_length(), 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(looks_do_not_wait_until_something_is_known),
        cmocka_unit_test(looks_for_lines_that_are_near_do_not_wait),
        cmocka_unit_test(looks_for_lines_that_come_from_afar_wait_for_a_part_of_the_trip),
        cmocka_unit_test(ranks_that_have_moved_are_noticed),
        cmocka_unit_test(who_lost_the_processor_has_measured_nothing),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

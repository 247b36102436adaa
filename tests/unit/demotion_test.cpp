// Short payloads are sent on to the cache that all cores share where that is nearer to their readers.
#include "cmocka_cpp.h"

#include <cstdint>

#include "fabric/demotion.h"

using xcoll::Demotion;
using xcoll::FirstLook;

namespace {

constexpr double ticks_per_ns = 2;
constexpr int64_t near = 40 * 2, far = 150 * 2;

void learn(FirstLook &look, int64_t took) {
    for (int i = 0; i < 20; ++i) {
        look.learn(took);
    }
}

void nothing_is_sent_on_where_the_processor_cannot(void **) {
    const FirstLook look(ticks_per_ns);
    const Demotion demotion(look);
    assert_false(demotion.pays(64));
}

void short_payloads_are_sent_on_until_more_is_known(void **) {
    const FirstLook look(ticks_per_ns);
    Demotion demotion(look);
    demotion.allow();
    assert_true(demotion.pays(64));
    assert_true(demotion.pays(Demotion::longest));
    assert_false(demotion.pays(Demotion::longest + 1));
}

void ranks_that_have_moved_to_one_core_keep_theirs_in_its_cache(void **) {
    FirstLook look(ticks_per_ns);
    Demotion demotion(look);
    demotion.allow();
    learn(look, far);
    assert_true(demotion.pays(64));
    learn(look, near);
    assert_false(demotion.pays(64));
    learn(look, far);
    assert_true(demotion.pays(64));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sent_on_where_the_processor_cannot),
        cmocka_unit_test(short_payloads_are_sent_on_until_more_is_known),
        cmocka_unit_test(ranks_that_have_moved_to_one_core_keep_theirs_in_its_cache),
    };
    return cmocka_run_group_tests_name("demotion", tests, nullptr, nullptr);
}

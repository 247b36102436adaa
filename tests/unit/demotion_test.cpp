// Short payloads are sent on to the cache that all cores share where that is nearer to their readers.
#include "cmocka_cpp.h"

#include <cstdint>

#include "coll/payload.h"
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

void who_gives_again_and_again_runs_ahead_of_its_readers(void **) {
    const FirstLook look(ticks_per_ns);
    Demotion demotion(look);
    assert_false(demotion.runs_ahead(4));
    assert_true(demotion.runs_ahead(5));
    assert_true(demotion.runs_ahead(6));
    assert_false(demotion.runs_ahead(8)); // it took something in operation 7
    assert_true(demotion.runs_ahead(9));
}

void who_only_gives_depends_on_the_root(void **) {
    using xcoll::Kind;
    using xcoll::only_gives;
    constexpr int root = 1, other = 0;
    for (const Kind kind : {Kind::bcast, Kind::scatter, Kind::scatterv}) {
        assert_true(only_gives({.kind = kind, .root = root}, root));
        assert_false(only_gives({.kind = kind, .root = root}, other));
    }
    for (const Kind kind : {Kind::reduce, Kind::gather, Kind::gatherv}) {
        assert_false(only_gives({.kind = kind, .root = root}, root));
        assert_true(only_gives({.kind = kind, .root = root}, other));
    }
    for (const Kind kind : {Kind::scan, Kind::exscan}) {
        assert_true(only_gives({.kind = kind}, 0));
        assert_false(only_gives({.kind = kind}, 1));
    }
    for (const Kind kind : {Kind::allreduce, Kind::allgather, Kind::alltoall, Kind::alltoallv, Kind::barrier}) {
        assert_false(only_gives({.kind = kind}, 0));
        assert_false(only_gives({.kind = kind}, 1));
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sent_on_where_the_processor_cannot),
        cmocka_unit_test(short_payloads_are_sent_on_until_more_is_known),
        cmocka_unit_test(ranks_that_have_moved_to_one_core_keep_theirs_in_its_cache),
        cmocka_unit_test(who_gives_again_and_again_runs_ahead_of_its_readers),
        cmocka_unit_test(who_only_gives_depends_on_the_root),
    };
    return cmocka_run_group_tests_name("demotion", tests, nullptr, nullptr);
}

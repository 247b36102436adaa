// Who gives again and again is told from who takes something between.
#include "cmocka_cpp.h"

#include "coll/payload.h"
#include "fabric/giving.h"

namespace {

using xcoll::Giving;

void the_first_operation_follows_none(void **) {
    Giving giving;
    assert_false(giving.goes_on(1));
    assert_true(giving.goes_on(2));
}

void who_takes_something_begins_anew(void **) {
    Giving giving;
    assert_false(giving.goes_on(4));
    assert_true(giving.goes_on(5));
    assert_true(giving.goes_on(6));
    assert_false(giving.goes_on(8)); // it took something in operation 7
    assert_true(giving.goes_on(9));
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
        cmocka_unit_test(the_first_operation_follows_none),
        cmocka_unit_test(who_takes_something_begins_anew),
        cmocka_unit_test(who_only_gives_depends_on_the_root),
    };
    return cmocka_run_group_tests_name("giving", tests, nullptr, nullptr);
}

// Which ranks are added up first.
#include "cmocka_cpp.h"

#include <vector>

#include "coll/grouping.h"

using namespace xcoll;

namespace {

using Sizes = std::vector<uint32_t>;
using Members = std::vector<int>;

void expect_grouping(const Grouping &grouping, const Sizes &sizes, const Members &order) {
    assert_true(grouping.sizes == sizes);
    assert_true(grouping.order == order);
    assert_int_equal(grouping.groups(), sizes.size());
    uint32_t first = 0;
    for (uint32_t group = 0; group < grouping.groups(); ++group) {
        assert_int_equal(grouping.first[group], first);
        assert_int_equal(grouping.leader(group), order[first]);
        for (uint32_t i = 0; i < sizes[group]; ++i) {
            assert_int_equal(grouping.group_of[static_cast<size_t>(order[first + i])], group);
        }
        first += sizes[group];
    }
}

void one_group_holds_all_in_order(void **) {
    expect_grouping(one_group(1), {1}, {0});
    expect_grouping(one_group(5), {5}, {0, 1, 2, 3, 4});
}

// Groups are in the order of their lowest ranks, whatever their labels are.
void labels_make_groups(void **) {
    expect_grouping(group_by({7, 3, 7, 3, 7}), {3, 2}, {0, 2, 4, 1, 3});
    expect_grouping(group_by({2, 1, 0}), {1, 1, 1}, {0, 1, 2});
    expect_grouping(group_by({4, 4, -9, 4}), {3, 1}, {0, 1, 3, 2});
}

void sizes_count_ranks_off(void **) {
    expect_grouping(group_by_sizes({2, 3}, {0, 1, 2, 3, 4}), {2, 3}, {0, 1, 2, 3, 4});
    expect_grouping(group_by_sizes({2, 1}, {4, 1, 3, 0}), {2, 2}, {0, 2, 1, 3}); // beyond the last: of the last
    expect_grouping(group_by_sizes({9}, {0, 1}), {2}, {0, 1});
    // Sums of sizes may be larger than any rank.
    expect_grouping(group_by_sizes(std::vector<int>(5000, 1'000'000), {0, 1'000'000}), {1, 1}, {0, 1});
}

Place place(int l3, int numa, int socket) {
    return {l3, numa, socket};
}

void the_lowest_level_that_splits_makes_groups(void **) {
    // Two L3s of two ranks each.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 0, 0), place(0, 0, 0), place(1, 0, 0)}), {2, 2},
                    {0, 2, 1, 3});
    // One rank under each L3: the NUMA nodes count.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 0, 0), place(2, 1, 0), place(3, 1, 0)}), {2, 2},
                    {0, 1, 2, 3});
    // All in one L3 and NUMA node cannot be on two sockets, but then the sockets would count.
    expect_grouping(group_by_place({place(0, 0, 0), place(0, 0, 1), place(0, 0, 0), place(0, 0, 1)}), {2, 2},
                    {0, 2, 1, 3});
    // An L3 that a rank does not know says nothing.
    expect_grouping(group_by_place({place(0, 0, 0), place(-1, 1, 0), place(0, 0, 0), place(1, 1, 0)}), {2, 2},
                    {0, 2, 1, 3});
    // Uneven ones.
    expect_grouping(group_by_place({place(5, 0, 0), place(5, 0, 0), place(6, 0, 0)}), {2, 1}, {0, 1, 2});
}

void nothing_to_split_is_one_group(void **) {
    const Members order = {0, 1, 2, 3};
    const std::vector<Place> one_cache(4, place(0, 0, 0)), unknown(4);
    expect_grouping(group_by_place(one_cache), {4}, order);
    expect_grouping(group_by_place(unknown), {4}, order);
    // Everybody far from everybody: no sum of a group could be shared.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 1, 1), place(2, 2, 2), place(3, 3, 3)}), {4}, order);
    expect_grouping(group_by_place({place(0, 0, 0)}), {1}, {0});
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(one_group_holds_all_in_order),  cmocka_unit_test(labels_make_groups),
        cmocka_unit_test(sizes_count_ranks_off),         cmocka_unit_test(the_lowest_level_that_splits_makes_groups),
        cmocka_unit_test(nothing_to_split_is_one_group),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// The formats of /sys and /proc, and everything that is not in them.
#include "cmocka_cpp.h"

#include <string>

#include "topo/parse.h"

using namespace xcoll;

namespace {

using Cpus = std::vector<int>;

void numbers_may_end_with_a_newline(void **) {
    assert_true(parse_number("12\n") == 12);
    assert_true(parse_number("-1\n") == -1);
    assert_true(parse_number("7") == 7);
}

void what_is_not_a_number_is_nothing(void **) {
    for (const char *text : {"", "\n", "x", "1x", "1 2", "99999999999999999999", "--1", " 1", "+1"}) {
        assert_false(parse_number(text).has_value());
    }
}

void cpu_lists_have_ranges_and_single_numbers(void **) {
    assert_true(parse_cpu_list("0\n") == Cpus({0}));
    assert_true(parse_cpu_list("0-3,8,10-11\n") == Cpus({0, 1, 2, 3, 8, 10, 11}));
    assert_true(parse_cpu_list("\n") == Cpus()); // a node with memory only
    assert_true(parse_cpu_list("") == Cpus());
}

void garbage_in_a_cpu_list_makes_it_nothing(void **) {
    for (const char *text : {"a", "0-", "-3", "3-1", "0,,1", "0-3,2", "1,1", "0-99999999", "0;1", "0-1-2", "1,", "0x3",
                             "70000", "18446744073709551616"}) {
        assert_false(parse_cpu_list(text).has_value());
    }
}

void cache_sizes_have_units(void **) {
    assert_true(parse_cache_size("512K\n") == size_t{512} << 10);
    assert_true(parse_cache_size("32M\n") == size_t{32} << 20);
    assert_true(parse_cache_size("1G\n") == size_t{1} << 30);
    assert_true(parse_cache_size("4096\n") == size_t{4096});
    for (const char *text : {"", "K", "0K", "-1K", "12Q", "9223372036854775807G", "1KK", "1.5M"}) {
        assert_false(parse_cache_size(text).has_value());
    }
}

void quotas_are_rounded_down_but_never_to_nothing(void **) {
    assert_true(parse_cpu_max("200000 100000\n") == 2);
    assert_true(parse_cpu_max("250000 100000\n") == 2);
    assert_true(parse_cpu_max("50000 100000\n") == 1);
    assert_true(quota_processors(350000, 100000) == 3);
}

void no_quota_is_no_limit(void **) {
    for (const char *text :
         {"max 100000\n", "", "max", "100000", "100000 0", "-1 100000", "0 100000", "x y", "1 2 3"}) {
        assert_false(parse_cpu_max(text).has_value());
    }
    assert_false(quota_processors(-1, 100000).has_value());
}

void the_groups_of_both_versions_are_found(void **) {
    const ControlGroups both = parse_control_groups("9:name=systemd:/\n4:cpu,cpuacct:/a/b\n3:cpuset:/c\n0::/d:e\n");
    assert_true(both.unified == "/d:e");
    assert_true(both.cpu == "/a/b");
    assert_string_equal(both.cpu_hierarchy.c_str(), "cpu,cpuacct");
    const ControlGroups root = parse_control_groups("0::/\n");
    assert_true(root.unified == "");
    assert_false(root.cpu.has_value());
}

void a_group_outside_of_the_namespace_counts_as_its_root(void **) {
    assert_true(parse_control_groups("0::/../../etc\n").unified == "");
}

void lines_that_are_not_groups_are_passed_over(void **) {
    const ControlGroups groups = parse_control_groups("\nx\n1:cpu\n:cpu:/a\n2:cpu:b\n0::\n0:x:/y\n\xff\xfe");
    assert_false(groups.unified.has_value());
    assert_false(groups.cpu.has_value());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_end_with_a_newline),
        cmocka_unit_test(what_is_not_a_number_is_nothing),
        cmocka_unit_test(cpu_lists_have_ranges_and_single_numbers),
        cmocka_unit_test(garbage_in_a_cpu_list_makes_it_nothing),
        cmocka_unit_test(cache_sizes_have_units),
        cmocka_unit_test(quotas_are_rounded_down_but_never_to_nothing),
        cmocka_unit_test(no_quota_is_no_limit),
        cmocka_unit_test(the_groups_of_both_versions_are_found),
        cmocka_unit_test(a_group_outside_of_the_namespace_counts_as_its_root),
        cmocka_unit_test(lines_that_are_not_groups_are_passed_over),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

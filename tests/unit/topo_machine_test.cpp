// Machines as small trees of files.
#include "cmocka_cpp.h"

#include <sched.h>
#include <string>

#include "topo/machine.h"
#include "topo/place.h"
#include "topo_tree.h"

using namespace xcoll;
using topo::Tree, topo::write_cache, topo::write_large_machine;

namespace {

Processor processor(const Machine &machine, int cpu) {
    for (const Processor &each : machine.processors) {
        if (each.cpu == cpu) {
            return each;
        }
    }
    print_error("processor %d is missing\n", cpu);
    assert_true(false);
    return {};
}

void sockets_nodes_and_caches_are_told_apart(void **) {
    Tree tree;
    write_large_machine(tree);
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.processors.size(), 32);
    for (const Processor &a : machine.processors) {
        for (const Processor &b : machine.processors) {
            assert_int_equal(a.socket == b.socket, a.cpu / 16 == b.cpu / 16);
            assert_int_equal(a.numa == b.numa, a.cpu / 8 == b.cpu / 8);
            assert_int_equal(a.l3 == b.l3, a.cpu / 2 == b.cpu / 2);
            assert_int_equal(a.l2 == b.l2, a.cpu == b.cpu);
        }
    }
    assert_int_equal(machine.l2_bytes, 1 << 20);
    assert_int_equal(machine.l3_bytes, 32 << 20);
}

void a_place_is_what_all_its_processors_share(void **) {
    Tree tree;
    write_large_machine(tree);
    const Machine machine = read_machine(tree.path());
    const Place cache = place_of(machine, {2, 3});
    assert_int_equal(cache.l3, processor(machine, 2).l3);
    assert_int_equal(cache.numa, 0);
    const Place node = place_of(machine, {8, 10, 15});
    assert_int_equal(node.l3, -1);
    assert_int_equal(node.numa, 1);
    assert_int_equal(node.socket, 0);
    const Place whole = place_of(machine, {0, 31});
    assert_int_equal(whole.numa, -1);
    assert_int_equal(whole.socket, -1);
    const Place nowhere = place_of(machine, {});
    assert_int_equal(nowhere.socket, -1);
}

void a_virtual_machine_may_hide_its_caches(void **) {
    Tree tree;
    write_large_machine(tree);
    for (int cpu = 0; cpu < 32; ++cpu) {
        tree.remove(tree.cpu(cpu, "/cache"));
    }
    tree.remove("devices/system/node");
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.processors.size(), 32);
    assert_int_equal(machine.l2_bytes, 0);
    assert_int_equal(machine.l3_bytes, 0);
    for (const Processor &each : machine.processors) {
        assert_int_equal(each.l2, -1);
        assert_int_equal(each.l3, -1);
        assert_int_equal(each.numa, -1);
        assert_int_equal(each.socket, each.cpu / 16);
    }
    assert_int_equal(place_of(machine, {4, 5}).l3, -1);
}

void offline_processors_are_left_out(void **) {
    Tree tree;
    write_large_machine(tree);
    tree.write("devices/system/cpu/online", "0-1,3-31\n");
    tree.remove(tree.cpu(2, "/cache"));
    tree.remove(tree.cpu(2, "/topology"));
    tree.write(tree.cpu(3, "/cache/index3/shared_cpu_list"), "3\n");
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.processors.size(), 31);
    assert_int_equal(machine.processors[2].cpu, 3);
    assert_int_equal(machine.processors[2].l3, 3);
}

void without_a_list_the_folders_tell_who_is_online(void **) {
    Tree tree;
    write_large_machine(tree);
    tree.remove("devices/system/cpu/online");
    tree.write("devices/system/cpu/cpufreq/x", "");
    tree.write("devices/system/cpu/cpuidle/x", "");
    tree.write(tree.cpu(5, "/online"), "0\n");
    tree.write(tree.cpu(6, "/online"), "1\n");
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.processors.size(), 31);
    assert_int_equal(machine.processors[5].cpu, 6);
}

void garbage_is_unknown_and_spoils_nothing_else(void **) {
    Tree tree;
    write_large_machine(tree);
    tree.write(tree.cpu(0, "/topology/physical_package_id"), "-1\n");
    tree.write(tree.cpu(1, "/topology/physical_package_id"), "\xff\xfe");
    for (int cpu = 0; cpu < 4; ++cpu) {
        tree.write(tree.cpu(cpu, "/cache/index3/shared_cpu_list"), cpu < 2 ? "0-,\n" : "8-9\n");
        tree.write(tree.cpu(cpu, "/cache/index2/size"), "lots");
        tree.write(tree.cpu(cpu, "/cache/index0/level"), std::string(5000, '3'));
    }
    tree.write("devices/system/node/node0/cpulist", std::string(3 << 20, '1'));
    tree.write("devices/system/node/nodex/cpulist", "0-31\n");
    tree.write("devices/system/node/node999999999999/cpulist", "0-31\n");
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.processors.size(), 32);
    assert_int_equal(machine.processors[0].socket, -1);
    assert_int_equal(machine.processors[1].socket, -1);
    assert_int_equal(machine.processors[2].socket, 0);
    for (int cpu = 0; cpu < 4; ++cpu) {
        assert_int_equal(processor(machine, cpu).l3, -1);
        assert_int_equal(processor(machine, cpu).numa, -1);
    }
    assert_int_equal(machine.processors[8].numa, 1);
    assert_int_equal(machine.processors[8].l3, 8);
    assert_int_equal(machine.l2_bytes, 1 << 20);
}

void a_cache_for_instructions_is_no_second_level(void **) {
    Tree tree;
    tree.write("devices/system/cpu/online", "0-1\n");
    write_cache(tree, 0, 0, 2, "Instruction", "2M", "0-1\n");
    write_cache(tree, 0, 1, 2, "Data", "1M", "0\n");
    const Machine machine = read_machine(tree.path());
    assert_int_equal(machine.l2_bytes, 1 << 20);
    assert_int_equal(machine.processors[0].l2, 0);
    assert_int_equal(machine.processors[1].l2, -1);
}

void the_smallest_cache_counts_where_they_differ(void **) {
    Tree tree;
    tree.write("devices/system/cpu/online", "0-1\n");
    write_cache(tree, 0, 0, 2, "Unified", "2048K", "0\n");
    write_cache(tree, 1, 0, 2, "Unified", "512K", "1\n");
    assert_int_equal(read_machine(tree.path()).l2_bytes, 512 << 10);
}

void no_sysfs_is_an_unknown_machine(void **) {
    const Machine machine = read_machine("/nonexistent/sys");
    assert_true(machine.processors.empty());
    assert_int_equal(current_place(machine).socket, -1);
}

void this_machine_has_the_processors_that_it_runs_on(void **) {
    const Machine machine = read_machine();
    if (machine.processors.empty()) {
        skip(); // a sandbox without /sys
    }
    for (const int cpu : allowed_processors()) {
        assert_int_equal(processor(machine, cpu).cpu, cpu);
    }
}

// ------------------------------------------------------------------------------------------------------- quotas

int allowed() {
    return static_cast<int>(allowed_processors().size());
}

// A quota far above what any machine has, and one of a single processor: seen on machines with at least two.
constexpr const char *one = "100000 100000\n", *plenty = "100000000000 100000\n";

void without_quotas_the_affinity_counts(void **) {
    Tree tree;
    assert_int_equal(usable_processors(tree.path(), tree.path()), allowed());
    tree.write("self/cgroup", "0::/a\n");
    tree.write("fs/cgroup/a/cpu.max", plenty);
    assert_int_equal(usable_processors(tree.path(), tree.path()), allowed());
    cpu_set_t before, first;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&first);
    CPU_SET(static_cast<size_t>(allowed_processors().front()), &first);
    assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
    assert_int_equal(usable_processors(tree.path(), tree.path()), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

void a_quota_anywhere_on_the_path_counts(void **) {
    for (const char *where :
         {"fs/cgroup/cpu.max", "fs/cgroup/a/cpu.max", "fs/cgroup/a/b/cpu.max", "fs/cgroup/unified/a/cpu.max"}) {
        Tree tree;
        tree.write("self/cgroup", "0::/a/b\n");
        tree.write("fs/cgroup/a/b/cpu.max", "max 100000\n");
        tree.write("fs/cgroup/other/cpu.max", one);
        assert_int_equal(usable_processors(tree.path(), tree.path()), allowed());
        tree.write(where, one);
        assert_int_equal(usable_processors(tree.path(), tree.path()), 1);
    }
}

void a_quota_of_the_first_version_counts(void **) {
    for (const char *hierarchy : {"cpu,cpuacct", "cpu"}) {
        for (const char *group : {"/a/b", "/a", ""}) {
            Tree tree;
            const std::string folder = std::string("fs/cgroup/") + hierarchy + group;
            tree.write("self/cgroup", "5:cpu,cpuacct:/a/b\n3:memory:/x\n");
            tree.write(folder + "/cpu.cfs_quota_us", "-1\n");
            tree.write(folder + "/cpu.cfs_period_us", "100000\n");
            assert_int_equal(usable_processors(tree.path(), tree.path()), allowed());
            tree.write(folder + "/cpu.cfs_quota_us", "150000\n");
            assert_int_equal(usable_processors(tree.path(), tree.path()), 1);
        }
    }
}

void a_quota_below_one_processor_is_one(void **) {
    Tree tree;
    tree.write("self/cgroup", "0::/a\n");
    tree.write("fs/cgroup/a/cpu.max", "1000 100000\n");
    assert_int_equal(usable_processors(tree.path(), tree.path()), 1);
}

void garbage_in_a_quota_is_no_quota(void **) {
    Tree tree;
    tree.write("self/cgroup", "0::/a/b\n4:cpu:/c\n");
    tree.write("fs/cgroup/a/cpu.max", "\xff\n");
    tree.write("fs/cgroup/cpu/c/cpu.cfs_quota_us", "much");
    tree.write("fs/cgroup/cpu/c/cpu.cfs_period_us", "");
    assert_int_equal(usable_processors(tree.path(), tree.path()), allowed());
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(sockets_nodes_and_caches_are_told_apart),
        cmocka_unit_test(a_place_is_what_all_its_processors_share),
        cmocka_unit_test(a_virtual_machine_may_hide_its_caches),
        cmocka_unit_test(offline_processors_are_left_out),
        cmocka_unit_test(without_a_list_the_folders_tell_who_is_online),
        cmocka_unit_test(garbage_is_unknown_and_spoils_nothing_else),
        cmocka_unit_test(a_cache_for_instructions_is_no_second_level),
        cmocka_unit_test(the_smallest_cache_counts_where_they_differ),
        cmocka_unit_test(no_sysfs_is_an_unknown_machine),
        cmocka_unit_test(this_machine_has_the_processors_that_it_runs_on),
        cmocka_unit_test(without_quotas_the_affinity_counts),
        cmocka_unit_test(a_quota_anywhere_on_the_path_counts),
        cmocka_unit_test(a_quota_of_the_first_version_counts),
        cmocka_unit_test(a_quota_below_one_processor_is_one),
        cmocka_unit_test(garbage_in_a_quota_is_no_quota),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

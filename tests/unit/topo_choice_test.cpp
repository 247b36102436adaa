// Who describes the machine, and what becomes of the wish for hwloc where its plug-in does not open.
#include "cmocka_cpp.h"

#include "topo_described.h"
#include "topo_tree.h"

using namespace xcoll;
using namespace topo;

namespace {

constexpr const char *nowhere = "/nowhere";

void serves_by_sysfs(const Settings &settings, const char *sysfs) {
    const Topology topology = find_topology(settings, sysfs);
    assert_string_equal(topology.by.c_str(), "sysfs");
    assert_string_equal(topology.why_not_hwloc.c_str(), "");
    assert_int_equal(topology.machine.processors.size(), read_machine(sysfs).processors.size());
}

void sysfs_serves_alone_where_it_tells_of_caches_and_sockets(void **) {
    Tree tree;
    write_large_machine(tree);
    serves_by_sysfs(with(TopologyWish::who_can, nowhere), tree.path());
    const Described empty(synthetic, "");
    serves_by_sysfs(with(TopologyWish::who_can, nowhere), tree.path());
}

void whoever_wants_sysfs_gets_it_whatever_was_described(void **) {
    Tree tree;
    write_large_machine(tree);
    const Described machine(synthetic, "pack:2 core:1 pu:1");
    serves_by_sysfs(with(TopologyWish::sysfs), tree.path());
    serves_by_sysfs(with(TopologyWish::sysfs), "/nonexistent/sys");
}

void says_why_there_is_no_hwloc(const char *sysfs) {
    const Topology topology = find_topology(with(TopologyWish::who_can, nowhere), sysfs);
    assert_string_equal(topology.by.c_str(), "sysfs");
    contains(topology.why_not_hwloc, "/nowhere/libxcoll_hwloc.so");
    contains(topology.why_not_hwloc, "libhwloc15");
}

void without_the_plugin_sysfs_serves_and_says_why(void **) {
    says_why_there_is_no_hwloc("/nonexistent/sys");
    Tree tree;
    write_large_machine(tree);
    const Described machine(synthetic, "pack:2 core:1 pu:1");
    says_why_there_is_no_hwloc(tree.path());
}

void without_caches_or_without_sockets_sysfs_is_not_enough(void **) {
    for (const char *missing : {"/cache", "/topology"}) {
        Tree tree;
        write_large_machine(tree);
        for (int cpu = 1; cpu < 32; ++cpu) {
            tree.remove(tree.cpu(cpu, missing));
        }
        serves_by_sysfs(with(TopologyWish::who_can, nowhere), tree.path());
        tree.remove(tree.cpu(0, missing));
        says_why_there_is_no_hwloc(tree.path());
    }
}

void whoever_insists_on_hwloc_gets_an_error_without_the_plugin(void **) {
    refuses(with(TopologyWish::hwloc, nowhere), XCOLL_ERR_UNSUPPORTED,
            {"the plug-in for hwloc cannot be loaded", "/nowhere", "hwloc 2", "XCOLL_PLUGIN_PATH"});
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(sysfs_serves_alone_where_it_tells_of_caches_and_sockets),
        cmocka_unit_test(whoever_wants_sysfs_gets_it_whatever_was_described),
        cmocka_unit_test(without_the_plugin_sysfs_serves_and_says_why),
        cmocka_unit_test(without_caches_or_without_sockets_sysfs_is_not_enough),
        cmocka_unit_test(whoever_insists_on_hwloc_gets_an_error_without_the_plugin),
    };
    return cmocka_run_group_tests(tests, describe_nothing, nullptr);
}

// The machine by hwloc: the same as by sysfs, where both tell of the same one; and descriptions of others.
#include "cmocka_cpp.h"

#include <cstdio>
#include <sched.h>

#include "topo/place.h"
#include "topo_described.h"
#include "topo_tree.h"

using namespace xcoll;
using namespace topo;

namespace {

// The thread on the first of its processors, for the length of a test.
class OnOneProcessor {
public:
    OnOneProcessor() : number_(allowed_processors().front()) {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(static_cast<size_t>(number_), &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    }
    ~OnOneProcessor() {
        sched_setaffinity(0, sizeof before_, &before_);
    }
    OnOneProcessor(const OnOneProcessor &) = delete;
    OnOneProcessor &operator=(const OnOneProcessor &) = delete;
    int number() const {
        return number_;
    }

private:
    int number_;
    cpu_set_t before_;
};

// What one knows the other one knows too, and calls alike.
void has_all_of(const Machine &machine, const Machine &known) {
    assert_int_equal(machine.processors.size(), known.processors.size());
    for (size_t i = 0; i < known.processors.size(); ++i) {
        const Processor &a = machine.processors[i], &b = known.processors[i];
        assert_int_equal(a.cpu, b.cpu);
        for (int Processor::*level : {&Processor::l2, &Processor::l3, &Processor::numa, &Processor::socket}) {
            assert_true(b.*level == -1 || a.*level == b.*level);
        }
    }
    assert_true(known.l2_bytes == 0 || machine.l2_bytes == known.l2_bytes);
    assert_true(known.l3_bytes == 0 || machine.l3_bytes == known.l3_bytes);
}

void is_by_hwloc(const Topology &topology, const std::string &how) {
    contains(topology.by, "hwloc, interface 2.");
    assert_true(topology.by.ends_with(how));
    assert_string_equal(topology.why_not_hwloc.c_str(), "");
}

void this_machine_is_the_same_by_both(void **) {
    const Topology topology = find_topology(with(TopologyWish::hwloc));
    is_by_hwloc(topology, "");
    const Machine by_sysfs = read_machine();
    if (by_sysfs.processors.empty()) {
        skip(); // a sandbox without /sys
    }
    has_all_of(topology.machine, by_sysfs);
}

void a_large_machine_is_the_same_by_both(void **) {
    const OnOneProcessor here;
    if (here.number() >= 32) {
        skip(); // none of that machine's
    }
    Tree tree;
    write_large_machine(tree);
    const Described machine(synthetic, "pack:2 numa:2 l3:4(size=33554432) l2:2(size=1048576) core:1 pu:1");
    const Topology topology = find_topology(with(TopologyWish::who_can));
    is_by_hwloc(topology, ", by HWLOC_SYNTHETIC");
    has_all_of(topology.machine, read_machine(tree.path()));
    has_all_of(read_machine(tree.path()), topology.machine);
}

void hwloc_serves_where_sysfs_does_not_tell(void **) {
    const std::vector<int> before = allowed_processors();
    is_by_hwloc(find_topology(with(TopologyWish::who_can), "/nonexistent/sys"), "");
    // Whatever it did to find out.
    assert_true(allowed_processors() == before);
}

void the_smallest_cache_counts_and_missing_levels_are_unknown(void **) {
    const OnOneProcessor here;
    const std::string there =
        "(indexes=" + std::to_string(here.number()) + "," + std::to_string(here.number() + 3) + ")";
    const Described machine(synthetic, "l2:2(size=524288) core:1 pu:1" + there);
    const Machine found = find_topology(with(TopologyWish::who_can)).machine;
    assert_int_equal(found.processors.size(), 2);
    assert_int_equal(found.l2_bytes, 524288);
    assert_int_equal(found.l3_bytes, 0);
    for (const Processor &processor : found.processors) {
        assert_int_equal(processor.l2, processor.cpu);
        assert_int_equal(processor.l3, -1);
        assert_int_equal(processor.socket, -1);
    }
}

// Two sockets that the kernel calls 4 and 7, each with one processor and one node.
std::string two_sockets(int first) {
    const auto object = [](const char *type, int number, unsigned cpus, unsigned nodes) {
        return format("<object type=\"%s\" os_index=\"%d\" cpuset=\"0x%08x\" complete_cpuset=\"0x%08x\" "
                      "nodeset=\"0x%08x\" complete_nodeset=\"0x%08x\" gp_index=\"%d\"",
                      type, number, cpus, cpus, nodes, nodes, number + 10 * type[1]);
    };
    const unsigned cpus[] = {1u << first, 2u << first};
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                       "<topology version=\"2.0\">\n";
    text += object("Machine", 0, cpus[0] | cpus[1], 3) +
            format(" allowed_cpuset=\"0x%08x\" allowed_nodeset=\"0x00000003\">\n", cpus[0] | cpus[1]);
    for (int i = 0; i < 2; ++i) {
        text += object("Package", 4 + 3 * i, cpus[i], 1u << i) + ">\n";
        text += object("NUMANode", i, cpus[i], 1u << i) + " local_memory=\"1073741824\"/>\n";
        text += object("PU", first + i, cpus[i], 1u << i) + "/>\n</object>\n";
    }
    return text + "</object>\n</topology>\n";
}

void a_file_counts_more_than_a_text(void **) {
    const OnOneProcessor here;
    if (here.number() > 30) {
        skip(); // the file has sets of 32
    }
    Tree tree;
    tree.write("machine.xml", two_sockets(here.number()));
    const Described text(synthetic, "pack:1 core:64 pu:1"), file(xml_file, tree.path() + std::string("/machine.xml"));
    const Topology topology = find_topology(with(TopologyWish::who_can));
    is_by_hwloc(topology, ", by HWLOC_XMLFILE");
    assert_int_equal(topology.machine.processors.size(), 2);
    for (int i = 0; i < 2; ++i) {
        const Processor &processor = topology.machine.processors[static_cast<size_t>(i)];
        assert_int_equal(processor.cpu, here.number() + i);
        assert_int_equal(processor.socket, 4 + 3 * i);
        assert_int_equal(processor.numa, i);
    }
}

// Sysfs serves and says why, unless hwloc is wanted and nothing else.
void does_not_serve(std::initializer_list<const char *> parts) {
    const Topology topology = find_topology(with(TopologyWish::who_can));
    assert_string_equal(topology.by.c_str(), "sysfs");
    has_all_of(topology.machine, read_machine());
    for (const char *part : parts) {
        contains(topology.why_not_hwloc, part);
    }
    refuses(with(TopologyWish::hwloc), XCOLL_ERR_CONFIG, parts);
}

void another_machine_than_this_one_does_not_serve(void **) {
    const OnOneProcessor here;
    const std::string elsewhere = std::to_string(here.number() + 1);
    const Described machine(synthetic, "pack:1 core:1 pu:1(indexes=" + elsewhere + ")");
    const std::string missing = "without processor " + std::to_string(here.number()) + ",";
    does_not_serve({"HWLOC_SYNTHETIC describes a machine ", missing.c_str()});
}

void nonsense_is_named(void **) {
    Tree tree;
    tree.write("garbage.xml", "<topology version=\"2.0\"><object type=\"Mach");
    tree.write("other.xml", "<html></html>");
    {
        const Described machine(synthetic, "socket two");
        does_not_serve({"HWLOC_SYNTHETIC: hwloc does not understand socket two: expected "});
    }
    for (const char *name : {"garbage.xml", "other.xml", "missing.xml", ""}) {
        const std::string path = tree.path() + std::string("/") + name;
        const Described machine(xml_file, path);
        does_not_serve({"HWLOC_XMLFILE: hwloc cannot read ", path.c_str()});
    }
}

} // namespace

int main() {
    if (!built::has_plugin("hwloc")) {
        std::puts("this build has no plug-in for hwloc");
        return 77;
    }
    const CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_is_the_same_by_both),
        cmocka_unit_test(a_large_machine_is_the_same_by_both),
        cmocka_unit_test(hwloc_serves_where_sysfs_does_not_tell),
        cmocka_unit_test(the_smallest_cache_counts_and_missing_levels_are_unknown),
        cmocka_unit_test(a_file_counts_more_than_a_text),
        cmocka_unit_test(another_machine_than_this_one_does_not_serve),
        cmocka_unit_test(nonsense_is_named),
    };
    return cmocka_run_group_tests(tests, describe_nothing, nullptr);
}

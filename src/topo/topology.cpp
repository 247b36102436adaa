#include "topo/topology.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "base/plugin_loader.h"
#include "topo/place.h"

namespace xcoll {

namespace {

constexpr PluginKind hwloc_plugin = {"libxcoll_hwloc.so", XCOLL_PLUGIN_TOPOLOGY_SYMBOL,
                                     "the plug-in for hwloc cannot be loaded",
                                     "hwloc 2 (Debian, Ubuntu: package libhwloc15)"};

// Some virtual machines show no caches, some boards no sockets, and a container may hide the files altogether.
bool tells_what_is_shared(const Machine &machine) {
    const auto any = [&](auto tells) {
        return std::any_of(machine.processors.begin(), machine.processors.end(), tells);
    };
    return any([](const Processor &each) { return each.l2 >= 0 || each.l3 >= 0; }) &&
           any([](const Processor &each) { return each.socket >= 0; });
}

// How the user describes a machine to all programs that ask hwloc. Of the two hwloc itself takes the file.
struct Description {
    const char *variable = nullptr, *text = nullptr;
};
constexpr const char *xml_file = "HWLOC_XMLFILE", *synthetic = "HWLOC_SYNTHETIC";

Description given_description() {
    for (const char *variable : {xml_file, synthetic}) {
        const char *text = std::getenv(variable);
        if (text && *text) {
            return {variable, text};
        }
    }
    return {};
}

// One of another machine would put ranks where they are not.
void check_fit(const Machine &machine, const std::string &described_by) {
    for (const int cpu : allowed_processors()) {
        const bool is_there = std::any_of(machine.processors.begin(), machine.processors.end(),
                                          [cpu](const Processor &processor) { return processor.cpu == cpu; });
        if (!is_there) {
            fail(XCOLL_ERR_CONFIG, "%s describes a machine without processor %d, on which this process may run",
                 described_by.c_str(), cpu);
        }
    }
}

Machine machine_of(const xcoll_machine &told) {
    Machine machine;
    machine.l2_bytes = told.l2_bytes;
    machine.l3_bytes = told.l3_bytes;
    for (size_t i = 0; i < told.count; ++i) {
        const xcoll_processor &each = told.processors[i];
        machine.processors.push_back({each.cpu, each.l2, each.l3, each.numa, each.socket});
    }
    std::sort(machine.processors.begin(), machine.processors.end(),
              [](const Processor &a, const Processor &b) { return a.cpu < b.cpu; });
    return machine;
}

Topology read_by_hwloc(const std::string &plugin_folder, const Description &given) {
    const auto &plugin = reinterpret_cast<const xcoll_topology_plugin &>(load_plugin(hwloc_plugin, plugin_folder));
    const std::string variable = given.variable ? given.variable : "";
    xcoll_machine told{};
    const std::unique_ptr<xcoll_machine, decltype(plugin.release)> lent(&told, plugin.release);
    char said[512] = "";
    const xcoll_result_t result = plugin.read(variable == xml_file ? given.text : nullptr,
                                              variable == synthetic ? given.text : nullptr, &told, said, sizeof said);
    if (result != XCOLL_SUCCESS) {
        fail(result, "%s%s%s", variable.c_str(), variable.empty() ? "" : ": ", said);
    }
    Topology topology{machine_of(told), said, ""};
    check_fit(topology.machine, variable.empty() ? "hwloc" : variable);
    topology.by += variable.empty() ? "" : ", by " + variable;
    return topology;
}

} // namespace

Topology find_topology(const Settings &settings, const char *sysfs) {
    const bool insists = settings.topology == TopologyWish::hwloc;
    const Description given = given_description();
    Topology topology;
    if (!insists) {
        topology.machine = read_machine(sysfs);
        if (settings.topology == TopologyWish::sysfs || (!given.text && tells_what_is_shared(topology.machine))) {
            return topology;
        }
    }
    try {
        return read_by_hwloc(settings.plugin_path, given);
    } catch (const Failure &failure) {
        if (insists) {
            fail(failure.result(), "XCOLL_TOPOLOGY=hwloc, but %s. XCOLL_TOPOLOGY=auto does without it", failure.what());
        }
        topology.why_not_hwloc = failure.message();
        return topology;
    }
}

} // namespace xcoll

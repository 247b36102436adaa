#include "core/describe_surroundings.h"

#include <algorithm>
#include <iterator>

#include "config.h"
#include "core/json.h"
#include "kernels/kernels.h"
#include "topo/machine.h"
#include "topo/place.h"

namespace xcoll {

namespace {

#ifdef __clang__
constexpr const char *compiler = __VERSION__;
#else
constexpr const char *compiler = "g++ " __VERSION__;
#endif

std::string or_null(const std::string &text) {
    return text.empty() ? "null" : quoted(text);
}

// The instruction sets that this build has and this processor runs.
std::string runnable_kernels() {
    std::vector<std::string> names;
    for (const Isa isa : {Isa::plain, Isa::avx2, Isa::avx512, Isa::neon, Isa::sve}) {
        if (const Kernels *kernels = kernels_for(isa)) {
            names.emplace_back(kernels->name);
        }
    }
    return list_of(names, quoted);
}

std::string number(int value) {
    return value < 0 ? "null" : std::to_string(value);
}

std::string describe_processor(const Processor &processor) {
    return format("{\"cpu\": %d, \"l2\": %s, \"l3\": %s, \"numa\": %s, \"socket\": %s}", processor.cpu,
                  number(processor.l2).c_str(), number(processor.l3).c_str(), number(processor.numa).c_str(),
                  number(processor.socket).c_str());
}

const char *name_of(Given::By by) {
    return by == Given::By::environment ? "environment" : "program";
}

std::string describe_variable(const Variable &variable, const Settings &settings) {
    const auto last = std::find_if(settings.given.rbegin(), settings.given.rend(),
                                   [&](const Given &given) { return given.variable == &variable; });
    const bool is_given = last != settings.given.rend();
    return format("{\"name\": \"XCOLL_%s\", \"value\": %s, \"default\": %s, \"source\": \"%s\", \"meaning\": %s}",
                  variable.name, quoted(is_given ? last->value : variable.value).c_str(),
                  quoted(variable.value).c_str(), is_given ? name_of(last->by) : "default",
                  quoted(variable.meaning).c_str());
}

} // namespace

std::string describe_build() {
    return format("{\"version\": \"%s\", \"compiler\": %s, \"processor\": \"%s\", \"ucx\": %s, \"libcrypto\": %s, "
                  "\"hwloc\": %s, \"sanitizer\": %s}",
                  PACKAGE_VERSION, quoted(compiler).c_str(), XCOLL_PROCESSOR, or_null(XCOLL_UCX).c_str(),
                  or_null(XCOLL_LIBCRYPTO).c_str(), or_null(XCOLL_HWLOC).c_str(), or_null(XCOLL_SANITIZER).c_str());
}

std::string describe_machine(const Topology &topology) {
    const Machine &machine = topology.machine;
    const auto print_number = [](int cpu) { return std::to_string(cpu); };
    return format("{\"by\": %s, \"why_not_hwloc\": %s, \"usable_processors\": %d, \"allowed\": %s, \"l2_bytes\": %zu, "
                  "\"l3_bytes\": %zu, \"kernels\": %s, \"processors\": %s}",
                  quoted(topology.by).c_str(), or_null(topology.why_not_hwloc).c_str(), usable_processors(),
                  list_of(allowed_processors(), print_number).c_str(), machine.l2_bytes, machine.l3_bytes,
                  runnable_kernels().c_str(), list_of(machine.processors, describe_processor).c_str());
}

std::string describe_settings(const Settings &settings) {
    return list_of(variables(), [&](const Variable &variable) { return describe_variable(variable, settings); });
}

} // namespace xcoll

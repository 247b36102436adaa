// Are there processors for the ranks, and do they and their clock run as they should?
#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "base/list_folder.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/check.h"

namespace xcoll::doctor {

using tools::counted;
using tools::format;

namespace {

Finding look_at_processors(const Patient &patient) {
    const tools::Json &machine = patient.description["machine"];
    if (machine.is_null()) {
        return good("not looked at: the library could not be asked");
    }
    const int usable = static_cast<int>(machine["usable_processors"].number());
    const int allowed = static_cast<int>(machine["allowed"].items().size());
    const std::string there = counted(usable, "processor", "processors");
    if (patient.ranks <= usable) {
        return good(there + " for " + counted(patient.ranks, "rank", "ranks"));
    }
    const bool is_quota = usable < allowed;
    return warning(format("%d ranks, but %s%s", patient.ranks, there.c_str(),
                          is_quota ? format(": the affinity allows %d, a quota fewer", allowed).c_str() : ""),
                   "ranks take turns: waiting ones give their processor away, and everything takes longer",
                   is_quota ? "raise the quota of this container or control group (cpu.max), or start fewer ranks"
                            : "start fewer ranks, or allow more processors (taskset, the container's cpuset)");
}

// Whether the library knows which processors share what, by which it tells near ranks from far ones.
Finding look_at_caches(const Patient &patient) {
    const tools::Json &machine = patient.description["machine"];
    if (machine.is_null()) {
        return good("not looked at: the library could not be asked");
    }
    const tools::Json &why_not = machine["why_not_hwloc"];
    const std::string seen = "told by " + machine["by"].text();
    if (!why_not.is_null()) {
        return warning(seen + ": " + why_not.text(), "near ranks are not told from far ones, or not as was described",
                       "do what the message says, or be content: XCOLL_TOPOLOGY=sysfs");
    }
    return good(seen);
}

Finding look_at_clock(const Patient &patient) {
    // Those that are read without a system call.
    constexpr std::string_view quick[] = {
        "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", "riscv_clocksource"};
    const auto clock = read_line(patient, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!clock) {
        return good("the kernel does not tell which one");
    }
    if (std::find(std::begin(quick), std::end(quick), *clock) == std::end(quick)) {
        return warning(
            "the clock is " + *clock,
            "reading it takes a system call or longer, about a microsecond; every wait reads it now and then",
            "see why the kernel gave up the processor's own clock: dmesg | grep -i clocksource");
    }
    return good(*clock);
}

std::set<std::string> governors(const Patient &patient) {
    const std::string folder = "/sys/devices/system/cpu/cpufreq";
    std::set<std::string> found;
    for (const std::string &name : list_folder(patient.root + folder)) {
        if (const auto governor = read_line(patient, folder + "/" + name + "/scaling_governor")) {
            // These drivers call so what lets the processor choose its own speed.
            const std::string driver = read_line(patient, folder + "/" + name + "/scaling_driver").value_or("");
            const bool chooses = driver == "intel_pstate" || driver == "amd-pstate-epp";
            found.insert(chooses && *governor == "powersave" ? "left to the processor" : *governor);
        }
    }
    return found;
}

Finding look_at_speed(const Patient &patient) {
    const std::set<std::string> found = governors(patient);
    if (found.empty()) {
        return good("not set from here, as on most virtual machines");
    }
    std::string names;
    for (const std::string &name : found) {
        tools::add_item(names, ", ", name);
    }
    if (found.count("powersave") > 0) {
        return warning("the frequency governor is " + names, "processors stay at their lowest speed",
                       "cpupower frequency-set -g performance (or schedutil)");
    }
    return good("frequency governor: " + names);
}

constexpr Check table[] = {
    {"processors", look_at_processors}, {"caches", look_at_caches}, {"clock", look_at_clock}, {"speed", look_at_speed}};

} // namespace

std::span<const Check> processor_checks() {
    return table;
}

} // namespace xcoll::doctor

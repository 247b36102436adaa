// Who describes the machine: sysfs, or hwloc by the plug-in for it.
//
// Sysfs takes a process 0.25 ms on an EPYC virtual machine with two processors, hwloc 2.5 ms: most of it to load its
// own plug-ins, the rest to read far more than is of use here (November 2026). So hwloc is asked where sysfs has no
// caches or no sockets to tell of, and where the user has described a machine to it (HWLOC_XMLFILE, HWLOC_SYNTHETIC).
//
// Every process asks for itself. What it needs are three numbers that follow from its own affinity and one size, less
// than it would take to hand a tree around; where the ranks of a machine must agree, they do so on what all have told
// all: groups are made of everybody's places, which both name alike. 64 processes at once are through with it after
// 0.5 s on those two processors, after 0.13 s by sysfs. Where that is too much, hwloc is asked once for the machine in
// hwloc's own way: lstopo writes a file, and HWLOC_XMLFILE names it.
#pragma once

#include <string>

#include "base/config.h"
#include "topo/machine.h"

namespace xcoll {

struct Topology {
    Machine machine;
    std::string by = "sysfs";  // who has told, for people
    std::string why_not_hwloc; // if it was to tell, and could not
};

// Throws Failure if the settings ask for hwloc and it does not describe this machine. `sysfs` as for read_machine.
Topology find_topology(const Settings &settings, const char *sysfs = "/sys");

} // namespace xcoll

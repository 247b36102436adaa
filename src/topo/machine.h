// The machine as xcoll needs to know it: how many processors this process may use, how large their caches are, and
// which processors share what. Read from sysfs, or by hwloc where topology.h says so; nothing here starts a thread or
// keeps a file open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xcoll {

// One processor and what it shares with others: processors with equal numbers share that cache, node or socket.
// Numbers are unique in the machine; -1 where nobody says.
struct Processor {
    int cpu, l2, l3, numa, socket;
};

struct Machine {
    std::vector<Processor> processors; // online ones, ascending by cpu
    size_t l2_bytes = 0, l3_bytes = 0; // 0: unknown
};

// Where a process is bound: the level's number if all its allowed processors share one, else -1.
struct Place {
    int32_t l3 = -1, numa = -1, socket = -1;
};

// `sysfs` is "/sys" but for tests, which bring machines as small trees of files.
Machine read_machine(const char *sysfs = "/sys");
// Processors that this process may use: its affinity, at most what the quotas of its cgroups (v1, v2) allow; at
// least 1.
int usable_processors(const char *sysfs = "/sys", const char *proc = "/proc");
// The place of the calling thread by its affinity.
Place current_place(const Machine &machine);

} // namespace xcoll

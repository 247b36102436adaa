// The processes of this machine, as /proc tells of them.
#pragma once

#include <optional>
#include <sys/types.h>
#include <vector>

namespace xcoll::tools {

struct ProcessEntry {
    pid_t pid, parent;
    char state; // R, S, D, T, Z ...
};
// Nothing if there is no such process.
std::optional<ProcessEntry> read_process(pid_t pid);
std::vector<ProcessEntry> all_processes();
// Children, their children, and so on.
std::vector<pid_t> descendants(pid_t of);

} // namespace xcoll::tools

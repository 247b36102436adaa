// The processes below the launcher, however they were started.
#pragma once

#include <sys/types.h>
#include <vector>

namespace xcoll::launcher {

// Children, their children, and so on, by /proc.
std::vector<pid_t> descendants(pid_t of);
// From now on descendants whose parent has ended become our children, so that none escapes.
void adopt_descendants();
// Returns when no descendant of this process is left, or none that could be found.
void kill_descendants();

} // namespace xcoll::launcher

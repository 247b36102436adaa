// The processes below the launcher, however they were started.
#pragma once

namespace xcoll::launcher {

// From now on descendants whose parent has ended become our children, so that none escapes.
void adopt_descendants();
// Returns when no descendant of this process is left, or none that could be found.
void kill_descendants();

} // namespace xcoll::launcher

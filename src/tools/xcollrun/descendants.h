// The processes below the launcher, however they were started.
#pragma once

namespace xcoll::launcher {

// From now on descendants whose parent has ended become our children, so that none escapes.
void adopt_descendants();
// Returns when no descendant of this process is left, or none that could be found. Where memory is missing for the
// search it kills this process, so that the other one of launcher and guard does it.
void kill_descendants() noexcept;

} // namespace xcoll::launcher

// With which codes xcollrun ends of itself; the others are those of the ranks.
#pragma once

namespace xcoll::launcher {

inline constexpr int job_broken = 1, timed_out = 124, could_not_start = 125, not_runnable = 126, not_found = 127;

} // namespace xcoll::launcher

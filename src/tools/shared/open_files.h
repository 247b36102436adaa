// How many files xcollrun has open at most.
#pragma once

#include <cstddef>
#include <sys/resource.h>

namespace xcoll::tools {

// Of each rank: its socket, the descriptor that it hands to the others, its output and errors where xcollrun reads
// them. Beyond that what a rank is started with, signals, the guard and a look into /proc; and what was open before.
constexpr rlim_t open_files_needed(int ranks, bool reads_output, size_t open_before) {
    constexpr rlim_t ours = 20;
    return static_cast<rlim_t>(ranks) * (reads_output ? 4 : 2) + ours + open_before;
}

// So many xcollrun finds open if it was started with no more than the standard descriptors: these, and its own for
// signals, the guard and the look at them.
constexpr size_t fewest_open_before = 6;

} // namespace xcoll::tools

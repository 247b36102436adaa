// Measures one bout: all that compete take turns with the same buffers.
#pragma once

#include <vector>

#include "tools/shared/task.h"

namespace xcoll::tune {

// Nanoseconds of a call on each of the communicators, which have the ranks of member.comm: the median over many rounds.
// Before each call all that is sent is written, after it all that was received is read; the time of that is taken off.
// Collective; all ranks get the same times.
std::vector<double> contest(const perf::Task &task, const perf::Member &member, const std::vector<xcoll_comm_t> &comms,
                            double seconds);

} // namespace xcoll::tune

// The two loops, and the distribution of their times.
#pragma once

#include "tools/shared/task.h"

namespace xcoll::perf {

struct Result {
    double median, least, most, p99; // of a call, in nanoseconds: each sample that of its slowest rank
    int samples, calls;              // calls: of each sample
    long wrong;                      // elements, over all ranks; -1: not looked at
};

// Collective over the ranks of a job, which all get the same result.
// osu: the call again and again, with the same buffers untouched. honest: before each call all that is sent is written,
// after it all that was received is read, and the time of the same loop without the call is taken off.
Result measure(const Task &task, const Member &member, Loop loop, double seconds, bool check);

} // namespace xcoll::perf

// Times the calls of a task among the ranks of a job, with or without what programs do around them.
#pragma once

#include "tools/shared/task.h"

namespace xcoll::perf {

class Stopwatch {
public:
    Stopwatch(Work &work, const Member &member, Loop loop) : work_(work), member_(member), loop_(loop) {
    }
    // Of so many calls, the roots in turn, in nanoseconds on this rank. Empty: all but the calls.
    double time(int calls, bool empty);
    // How many calls make a sample, found by doubling, which warms up as well: the same on all ranks. `taken` is how
    // long they take.
    int find_calls(double &taken);

private:
    Work &work_;
    const Member &member_;
    Loop loop_;
};

// The largest of the ranks' times, on all ranks and in each place.
void slowest(std::vector<double> &times, const Member &member);

} // namespace xcoll::perf

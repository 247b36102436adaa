#include "tools/xcoll-perf/measure.h"

#include <algorithm>

#include "tools/shared/library.h"
#include "tools/shared/stopwatch.h"

namespace xcoll::perf {

using tools::must;

namespace {

constexpr double most_samples = 2000, fewest_samples = 5;

double sample(Stopwatch &stopwatch, Loop loop, int calls) {
    const double full = stopwatch.time(calls, false);
    return (full - (loop == Loop::honest ? stopwatch.time(calls, true) : 0)) / calls;
}

} // namespace

Result measure(const Task &task, const Member &member, Loop loop, double seconds, bool check) {
    Work work(task, member);
    Result result{};
    result.wrong = check ? static_cast<long>(work.check()) : -1;
    if (check) {
        int64_t sum = result.wrong;
        must(xcoll_allreduce(XCOLL_IN_PLACE, &sum, 1, XCOLL_INT64, XCOLL_SUM, member.comm));
        result.wrong = static_cast<long>(sum);
    }
    for (int root = 0; root < work.roots(); ++root) {
        work.produce(root, 0);
    }
    Stopwatch stopwatch(work, member, loop);
    double each = 0;
    result.calls = stopwatch.find_calls(each);
    each *= loop == Loop::honest ? 2 : 1;
    result.samples = static_cast<int>(std::clamp(seconds * 1e9 / each, fewest_samples, most_samples));
    std::vector<double> times;
    for (int i = 0; i < result.samples; ++i) {
        times.push_back(sample(stopwatch, loop, result.calls));
    }
    slowest(times, member);
    std::sort(times.begin(), times.end());
    const double per_call = task.form == Form::group ? calls_of_group : 1;
    const auto at = [&](double share) { return times[static_cast<size_t>(share * (result.samples - 1))] / per_call; };
    result.least = at(0);
    result.median = at(0.5);
    result.p99 = at(0.99);
    result.most = at(1);
    return result;
}

} // namespace xcoll::perf

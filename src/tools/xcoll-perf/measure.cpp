#include "tools/xcoll-perf/measure.h"

#include <algorithm>

#include "tools/shared/library.h"
#include "tools/shared/stopwatch.h"

namespace xcoll::perf {

using tools::must;

namespace {

constexpr double most_samples = 2000, fewest_samples = 5;
constexpr double ns_per_us = 1000;

double sample(Stopwatch &stopwatch, Loop loop, int calls) {
    const double full = stopwatch.time(calls, false);
    return (full - (loop == Loop::honest ? stopwatch.time(calls, true) : 0)) / calls;
}

double check_all(Work &work, const Member &member) {
    auto wrong = static_cast<int64_t>(work.check());
    must(xcoll_allreduce(XCOLL_IN_PLACE, &wrong, 1, XCOLL_INT64, XCOLL_SUM, member.comm));
    return static_cast<double>(wrong);
}

// The value that a share of the sorted ones does not exceed.
double at(const std::vector<double> &sorted, double share) {
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void add_ranks(Record &record, std::vector<double> times, const Member &member) {
    std::sort(times.begin(), times.end());
    const double mine = at(times, 0.5);
    std::vector<double> medians(static_cast<size_t>(member.size));
    must(xcoll_allgather(&mine, 1, medians.data(), XCOLL_FLOAT64, member.comm));
    std::sort(medians.begin(), medians.end());
    record.fastest_rank = at(medians, 0);
    record.median_rank = at(medians, 0.5);
    record.slowest_rank = at(medians, 1);
}

void add_slowest(Record &record, std::vector<double> times, const Member &member) {
    slowest(times, member);
    std::sort(times.begin(), times.end());
    record.median = at(times, 0.5);
    record.least = at(times, 0);
    record.p90 = at(times, 0.9);
    record.p99 = at(times, 0.99);
    record.most = at(times, 1);
    record.gb_s = record.bytes / record.median / ns_per_us;
}

} // namespace

Record record_of(const Line &line, const Member &member) {
    const Task &task = line.task;
    Record record;
    record.op = task.operation->name;
    record.form = form_names[static_cast<size_t>(task.form)];
    record.loop = loop_names[static_cast<size_t>(line.loop)];
    record.place = place_names[task.in_place];
    record.buffers = buffer_names[task.range > 0];
    record.dtype = task.type->name;
    record.reduce = task.reduces() ? task.reduction->name : "";
    record.ranks = member.size;
    record.bytes = static_cast<double>(task.bytes());
    return record;
}

void measure(Record &record, const Line &line, const Member &member, RoundTrip &round_trip, double seconds,
             bool check) {
    Work work(line.task, member);
    record.wrong = check ? check_all(work, member) : unknown;
    for (int root = 0; root < work.roots(); ++root) {
        work.produce(root, 0);
    }
    Stopwatch stopwatch(work, member, line.loop);
    double each = 0;
    const int calls = stopwatch.find_calls(each);
    each *= line.loop == Loop::honest ? 2 : 1;
    const auto samples = static_cast<int>(std::clamp(seconds * 1e9 / each, fewest_samples, most_samples));
    const double calls_in_one = line.task.form == Form::group ? calls_of_group : 1;
    const double before = round_trip.measure();
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        times.push_back(sample(stopwatch, line.loop, calls) / calls_in_one / ns_per_us);
    }
    const double after = round_trip.measure();
    record.round_trip = (before + after) / 2;
    record.moved = is_another_machine(before, after) ? "during" : "no";
    record.samples = samples;
    record.calls = calls;
    add_ranks(record, times, member);
    add_slowest(record, times, member);
}

} // namespace xcoll::perf

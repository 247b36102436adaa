#include "tools/xcoll-tune/contest.h"

#include <algorithm>

#include "tools/shared/stopwatch.h"
#include "tools/xcoll-tune/verdict.h"

namespace xcoll::tune {

namespace {

constexpr double fewest_rounds = 5, most_rounds = 400;
constexpr int warm_rounds = 2;

} // namespace

std::vector<double> contest(const perf::Task &task, const perf::Member &member, const std::vector<xcoll_comm_t> &comms,
                            double seconds) {
    perf::Work work(task, member);
    perf::Stopwatch stopwatch(work, member, perf::Loop::honest);
    for (const xcoll_comm_t comm : comms) {
        work.use(comm);
        stopwatch.time(warm_rounds * work.roots(), false);
    }
    work.use(comms[0]);
    double each = 0;
    const int calls = stopwatch.find_calls(each);
    // The last turn is that of the loop without a call.
    const size_t turns = comms.size() + 1;
    const double wanted = seconds * 1e9 / (each * static_cast<double>(turns));
    const auto rounds = static_cast<size_t>(std::clamp(wanted, fewest_rounds, most_rounds));
    std::vector<double> taken(turns * rounds);
    for (size_t round = 0; round < rounds; ++round) {
        for (size_t i = 0; i < turns; ++i) {
            const size_t turn = (round + i) % turns;
            const bool empty = turn == comms.size();
            work.use(empty ? comms[0] : comms[turn]);
            taken[turn * rounds + round] = stopwatch.time(calls, empty);
        }
    }
    perf::slowest(taken, member);
    std::vector<double> medians;
    for (size_t turn = 0; turn < turns; ++turn) {
        const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(turn * rounds);
        medians.push_back(median_of({begin, begin + static_cast<std::ptrdiff_t>(rounds)}));
    }
    const double around = medians.back();
    medians.pop_back();
    for (double &median : medians) {
        median = (median - around) / calls;
    }
    return medians;
}

} // namespace xcoll::tune

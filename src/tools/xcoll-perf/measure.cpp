#include "tools/xcoll-perf/measure.h"

#include <algorithm>
#include <chrono>

#include "tools/shared/library.h"

namespace xcoll::perf {

using tools::must;

namespace {

// Long enough that reading the clock, some 25 ns, does not matter.
constexpr double sample_ns = 20'000;
constexpr double most_samples = 2000, fewest_samples = 5;
constexpr int most_calls = 10'000;
constexpr int warm_rounds = 3;

double now_ns() {
    using namespace std::chrono;
    return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

class Measurement {
public:
    Measurement(Work &work, const Member &member, Loop loop) : work_(work), member_(member), loop_(loop) {
    }

    // Of so many calls, the roots in turn.
    double time(int calls, bool empty) {
        must(xcoll_barrier(member_.comm));
        const double start = now_ns();
        uint64_t seen = 0;
        for (int i = 0, root = 0; i < calls; ++i, root = root + 1 == work_.roots() ? 0 : root + 1) {
            if (loop_ == Loop::honest) {
                work_.produce(root, static_cast<unsigned>(i));
            }
            if (!empty) {
                work_.run(root);
            }
            if (loop_ == Loop::honest) {
                seen ^= work_.consume(root);
            }
        }
        const double taken = now_ns() - start;
        asm volatile("" ::"r"(seen)); // the reading counts
        return taken;
    }

    double sample(int calls) {
        const double full = time(calls, false);
        return (full - (loop_ == Loop::honest ? time(calls, true) : 0)) / calls;
    }

private:
    Work &work_;
    const Member &member_;
    Loop loop_;
};

double slowest(double mine, const Member &member) {
    must(xcoll_allreduce(XCOLL_IN_PLACE, &mine, 1, XCOLL_FLOAT64, XCOLL_MAX, member.comm));
    return mine;
}

// How many calls make a sample, found by doubling, which warms up as well. Returns how long they take.
double find_calls(Measurement &measurement, const Member &member, int roots, int &calls) {
    measurement.time(warm_rounds * roots, false);
    for (calls = roots;; calls *= 2) {
        const double taken = slowest(measurement.time(calls, false), member);
        if (taken >= sample_ns || calls >= most_calls) {
            return taken;
        }
    }
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
    Measurement measurement(work, member, loop);
    const double each = find_calls(measurement, member, work.roots(), result.calls) * (loop == Loop::honest ? 2 : 1);
    result.samples = static_cast<int>(std::clamp(seconds * 1e9 / each, fewest_samples, most_samples));
    std::vector<double> times;
    for (int i = 0; i < result.samples; ++i) {
        times.push_back(measurement.sample(result.calls));
    }
    must(xcoll_allreduce(XCOLL_IN_PLACE, times.data(), times.size(), XCOLL_FLOAT64, XCOLL_MAX, member.comm));
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

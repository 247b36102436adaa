#include "tools/shared/stopwatch.h"

#include <chrono>

#include "tools/shared/library.h"

namespace xcoll::perf {

using tools::must;

namespace {

// Long enough that reading the clock, some 25 ns, does not matter.
constexpr double sample_ns = 20'000;
constexpr int most_calls = 10'000;
constexpr int warm_rounds = 3;

double now_ns() {
    using namespace std::chrono;
    return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

} // namespace

double Stopwatch::time(int calls, bool empty) {
    must(xcoll_barrier(member_.comm));
    const double start = now_ns();
    uint64_t seen = 0;
    for (int i = 0, root = 0; i < calls; ++i, root = root + 1 == work_.roots() ? 0 : root + 1) {
        work_.move();
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

int Stopwatch::find_calls(double &taken) {
    time(warm_rounds * work_.roots(), false);
    for (int calls = work_.roots();; calls *= 2) {
        std::vector<double> all = {time(calls, false)};
        slowest(all, member_);
        taken = all[0];
        if (taken >= sample_ns || calls >= most_calls) {
            return calls;
        }
    }
}

void slowest(std::vector<double> &times, const Member &member) {
    must(xcoll_allreduce(XCOLL_IN_PLACE, times.data(), times.size(), XCOLL_FLOAT64, XCOLL_MAX, member.comm));
}

} // namespace xcoll::perf

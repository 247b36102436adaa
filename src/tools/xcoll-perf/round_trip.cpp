#include "tools/xcoll-perf/round_trip.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sched.h>

#include "tools/shared/json.h"
#include "tools/shared/library.h"
#include "tools/xcoll-perf/record.h"

namespace xcoll::perf {

using tools::must;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int bursts = 7, trips_of_burst = 30; // some 50 microseconds; the median is of a burst that nobody disturbed
constexpr int patience = 10'000;               // looks at a line before its writer may need this processor
constexpr std::chrono::seconds longest_wait{10};
constexpr size_t lines_of_its_own = 4096; // bytes

// Measured between processors under one cache 40 to 150 ns, under two 243 to 570, by machine and time; on any one of
// the machines the two are at least 2.4 times apart.
constexpr double far_apart = 2;

} // namespace

RoundTrip::RoundTrip(const Member &member) : member_(member) {
    const auto described = tools::Json::parse(tools::description(member.comm));
    const bool crowded = described["memory"]["crowded"].truth();
    int32_t possible = member.size > 1 && !crowded && described["shared_memory"].truth() &&
                       xcoll_mem_alloc(member.comm, lines_of_its_own, &mine_) == XCOLL_SUCCESS;
    must(xcoll_allreduce(XCOLL_IN_PLACE, &possible, 1, XCOLL_INT32, XCOLL_MIN, member.comm));
    if (!possible || member.rank > 1) {
        return;
    }
    void *partner = nullptr;
    must(xcoll_mem_peer(member.comm, mine_, 1 - member.rank, &partner));
    if (partner) {
        sent_ = static_cast<uint64_t *>(mine_);
        received_ = static_cast<uint64_t *>(partner);
    }
}

RoundTrip::~RoundTrip() {
    xcoll_mem_free(member_.comm, mine_);
}

// The partner may be late or dead, which the next call of the library finds out.
bool RoundTrip::wait_for(uint64_t round) {
    const Word word(*received_);
    const auto start = Clock::now();
    for (int looks = 0; word.load(std::memory_order_acquire) != round; ++looks) {
        if (looks >= patience) {
            looks = 0;
            sched_yield();
            if (Clock::now() - start > longest_wait) {
                return false;
            }
        }
    }
    return true;
}

double RoundTrip::bounce() {
    const Word word(*sent_);
    std::vector<double> trips;
    const uint64_t end = round_ + uint64_t{bursts} * trips_of_burst;
    for (int burst = 0; burst < bursts; ++burst) {
        const auto start = Clock::now();
        for (int trip = 0; trip < trips_of_burst; ++trip) {
            ++round_;
            if (member_.rank == 0) {
                word.store(round_, std::memory_order_release);
            }
            if (!wait_for(round_)) {
                round_ = end; // where the partner begins the next time, too
                return unknown;
            }
            if (member_.rank == 1) {
                word.store(round_, std::memory_order_release);
            }
        }
        trips.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / trips_of_burst);
    }
    std::sort(trips.begin(), trips.end());
    return member_.rank == 0 ? trips[bursts / 2] : unknown;
}

double RoundTrip::measure() {
    must(xcoll_barrier(member_.comm));
    return sent_ ? bounce() : unknown;
}

bool is_another_machine(double first, double second) {
    return std::max(first, second) > far_apart * std::min(first, second); // not, if one is not a number
}

} // namespace xcoll::perf

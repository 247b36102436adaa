// ranks: 2 3
//
// Whoever waits for a rank that is late gives the processor to others, in whatever way it waits.
#include <ctime>
#include <functional>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr timespec late = {0, 400'000'000};

double seconds(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void wait_for_ever(xcoll_request_t *request) {
    int done = 0;
    constexpr int64_t an_hour_ms = 3'600'000;
    ranks::succeed(xcoll_wait_for(request, an_hour_ms, &done, nullptr));
    ranks::check(done == 1, "it is done within an hour");
}

void wait_for_moments(xcoll_request_t *request) {
    constexpr int64_t moment_ms = 30;
    for (int done = 0; done == 0;) {
        ranks::succeed(xcoll_wait_for(request, moment_ms, &done, nullptr));
    }
}

// Among requests that are over, or never begun.
void wait_for_any(xcoll_request_t *request) {
    xcoll_request_t all[] = {XCOLL_REQUEST_NULL, *request, XCOLL_REQUEST_NULL};
    size_t index = 0;
    ranks::succeed(xcoll_waitany(std::size(all), all, &index));
    ranks::check(index == 1, "the only one is the first");
    *request = all[1];
}

void wait_for_all(xcoll_request_t *request) {
    ranks::succeed(xcoll_waitall(1, request));
}

void wait_plainly(xcoll_request_t *request) {
    ranks::succeed(xcoll_wait(request));
}

// What it costs all but the last rank.
void measure(const Rank &rank, const char *way, const std::function<void()> &wait) {
    if (rank.rank() == rank.size() - 1) {
        nanosleep(&late, nullptr);
    }
    const double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_THREAD_CPUTIME_ID);
    wait();
    const double share = (seconds(CLOCK_THREAD_CPUTIME_ID) - used) / (seconds(CLOCK_MONOTONIC) - begin);
    if (rank.rank() != rank.size() - 1 && share > 0.5) {
        ranks::wrong(std::string(way) + " used " + std::to_string(share) + " of a processor");
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    ranks::succeed(xcoll_barrier(comm));
    measure(rank, "xcoll_barrier", [&] { ranks::succeed(xcoll_barrier(comm)); });
    const std::pair<const char *, void (*)(xcoll_request_t *)> ways[] = {{"xcoll_wait", wait_plainly},
                                                                         {"xcoll_waitall", wait_for_all},
                                                                         {"xcoll_waitany", wait_for_any},
                                                                         {"xcoll_wait_for", wait_for_ever},
                                                                         {"a short xcoll_wait_for", wait_for_moments}};
    for (const auto &[name, wait] : ways) {
        int32_t sum = 0;
        const int32_t one = 1;
        measure(rank, name, [&, &wait = wait] {
            xcoll_request_t request = XCOLL_REQUEST_NULL;
            ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &request));
            wait(&request);
            ranks::check(request == XCOLL_REQUEST_NULL, "the request is over");
        });
        ranks::check(sum == rank.size(), "the sum");
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

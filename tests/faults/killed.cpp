// threads
// ranks: 2 3 8
// timeout: 120
//
// A rank is killed at a random moment of all kinds of work. The others return with an error that names it, later calls
// say the same, the communicator can be freed, and nothing is left behind.
#include "../ranks/values.h"
#include "jobs.h"

using jobs::Job;
using jobs::Member;

namespace {

// One step of a rank's endless work.
using Work = xcoll_result_t (*)(const Member &member, std::vector<float> &data);

xcoll_result_t allreduce(xcoll_comm_t comm, std::vector<float> &data, size_t count) {
    return xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_FLOAT32, XCOLL_MAX, comm);
}
xcoll_result_t small_allreduce(const Member &member, std::vector<float> &data) {
    return allreduce(member.comm, data, 1);
}
xcoll_result_t large_allreduce(const Member &member, std::vector<float> &data) {
    return allreduce(member.comm, data, data.size());
}
xcoll_result_t bcasts(const Member &member, std::vector<float> &data) {
    for (int root = 0; root < member.size; ++root) {
        const size_t count = root % 2 ? 500'000 : 10;
        if (const xcoll_result_t result = xcoll_bcast(data.data(), count, XCOLL_FLOAT32, root, member.comm)) {
            return result;
        }
    }
    return XCOLL_SUCCESS;
}
// Each rank's half of the data, in parts for all ranks.
xcoll_result_t alltoall(const Member &member, std::vector<float> &data) {
    const size_t half = data.size() / 2;
    return xcoll_alltoall(data.data(), data.data() + half, half / static_cast<size_t>(member.size), XCOLL_FLOAT32,
                          member.comm);
}
xcoll_result_t messages(const Member &member, std::vector<float> &data) {
    const size_t half = data.size() / 2;
    return xcoll_sendrecv(data.data(), half, (member.rank + 1) % member.size, 0, data.data() + half, half,
                          (member.rank + member.size - 1) % member.size, 0, XCOLL_FLOAT32, member.comm);
}
xcoll_result_t barrier(const Member &member, std::vector<float> &) {
    return xcoll_barrier(member.comm);
}

// Both calls whose counts travel with what they count: none, some and all that fit, in turn.
xcoll_result_t counts_of_the_moment(const Member &member, std::vector<float> &data) {
    const auto parts = static_cast<size_t>(member.size);
    const size_t half = data.size() / 2, most = half / parts;
    std::vector<uint64_t> given(parts), found(parts);
    for (size_t p = 0; p < parts; ++p) {
        given[p] = (p + static_cast<size_t>(member.rank)) % 3 * most / 2;
    }
    const xcoll_result_t result =
        xcoll_allgather_dyn(data.data(), given.data(), &data[half], found.data(), most, 1, XCOLL_FLOAT32, member.comm);
    return result ? result
                  : xcoll_alltoall_dyn(data.data(), given.data(), &data[half], found.data(), most, XCOLL_FLOAT32,
                                       member.comm);
}

xcoll_result_t start_five(const Member &member, std::vector<float> &data, xcoll_request_t *requests) {
    const size_t part = data.size() / 5;
    for (size_t i = 0; i < 5; ++i) {
        const size_t count = i % 2 ? part : 3;
        if (const xcoll_result_t result = xcoll_iallreduce(XCOLL_IN_PLACE, data.data() + i * part, count, XCOLL_FLOAT32,
                                                           XCOLL_MAX, member.comm, &requests[i])) {
            xcoll_waitall(i, requests);
            return result;
        }
    }
    return XCOLL_SUCCESS;
}
xcoll_result_t requests(const Member &member, std::vector<float> &data) {
    xcoll_request_t all[5] = {};
    if (const xcoll_result_t result = start_five(member, data, all)) {
        return result;
    }
    xcoll_status_t statuses[5];
    const xcoll_result_t result = xcoll_waitall_status(5, all, statuses);
    for (const xcoll_status_t &status : statuses) {
        if (status.result != XCOLL_SUCCESS) {
            member.report->blamed = 1 + status.rank;
        }
    }
    return result;
}
xcoll_result_t tests(const Member &member, std::vector<float> &data) {
    xcoll_request_t all[5] = {};
    xcoll_result_t result = start_five(member, data, all);
    for (xcoll_request_t &request : all) {
        for (int done = 0; !done;) {
            const xcoll_result_t one = xcoll_test(&request, &done);
            result = result ? result : one;
            done |= one != XCOLL_SUCCESS;
        }
    }
    return result;
}
xcoll_result_t splits(const Member &member, std::vector<float> &data) {
    xcoll_comm_t child = XCOLL_COMM_NULL;
    xcoll_result_t result = xcoll_comm_split(member.comm, member.rank % 2, 0, &child);
    if (result == XCOLL_SUCCESS) {
        result = allreduce(child, data, 100);
    }
    // What went wrong on the child, the parent notices by itself.
    const std::string message = xcoll_last_error();
    xcoll_comm_free(&child);
    return result ? xcoll_barrier(member.comm) : result;
}

void work(const Member &member, Work step) {
    std::vector<float> data(1'000'000, 1);
    xcoll_result_t result = XCOLL_SUCCESS;
    while (result == XCOLL_SUCCESS) {
        result = step(member, data);
        member.report->is_ready = 1;
    }
    member.report->write(result);
    jobs::expect_sticky(member.comm, result);
    xcoll_comm_t comm = member.comm;
    ranks::succeed(xcoll_comm_free(&comm));
}

struct Scenario {
    const char *name;
    Work step;
    const char *settings;
};
constexpr Scenario scenarios[] = {
    {"small allreduce", small_allreduce, ""},
    {"large allreduce", large_allreduce, ""},
    {"streamed allreduce", large_allreduce, "ALLREDUCE=streamed"},
    {"hierarchical allreduce", small_allreduce, "ALLREDUCE=hierarchical;GROUPS=2,2"},
    {"allreduce by messages", large_allreduce, "ALLREDUCE=ring"},
    {"small allreduce by messages", small_allreduce, "ALLREDUCE=doubling"},
    {"bcast", bcasts, ""},
    {"bcast by messages", bcasts, "BCAST=tree"},
    {"alltoall", alltoall, "CMA=off"},
    {"alltoall, attached", alltoall, "CMA=on"},
    {"messages, attached", messages, "CMA=on"},
    {"barrier", barrier, ""},
    {"counts of the moment", counts_of_the_moment, ""},
    {"counts of the moment by messages", counts_of_the_moment, "ALLGATHER_DYN=messages;ALLTOALL_DYN=messages"},
    {"requests", requests, ""},
    {"requests by messages", requests, "ALLREDUCE=ring"},
    {"tests", tests, ""},
    {"splits", splits, ""},
};

// By every status that there was.
void expect_blamed(Job &job, int size, const char *scenario, int victim) {
    for (int rank = 0; rank < size; ++rank) {
        const int blamed = job.report(rank).blamed;
        if (blamed != 0 && blamed != 1 + victim) {
            ranks::wrong(std::string(scenario) + ": rank " + std::to_string(victim) +
                         " was killed, but the status of rank " + std::to_string(rank) + " names " +
                         std::to_string(blamed - 1));
        }
    }
}

void kill_one(int size, const Scenario &scenario, uint64_t seed) {
    const uint64_t dice = values::mix(seed);
    const int victim = static_cast<int>(dice % static_cast<uint64_t>(size));
    Job job(size, scenario.settings, [&](const Member &member) { work(member, scenario.step); });
    job.wait_until_ready();
    jobs::sleep_us(static_cast<unsigned>(dice >> 8) % 30'000);
    job.send_signal(victim, SIGKILL);
    const int64_t killed = jobs::now_ms();
    if (seed % 2) {
        job.reap(victim); // otherwise it stays a zombie, which is as dead
    }
    job.wait_for_reports(victim);
    const std::string name = "rank " + std::to_string(victim) + " (";
    for (int rank = 0; rank < size; ++rank) {
        const jobs::Report &report = job.report(rank);
        if (rank == victim) {
            continue;
        }
        if ((report.result != XCOLL_ERR_PEER_DEAD && report.result != XCOLL_ERR_ABORTED) ||
            !std::strstr(report.message, name.c_str())) {
            ranks::wrong(std::string(scenario.name) + ": rank " + std::to_string(victim) + " was killed, but rank " +
                         std::to_string(rank) + " says " + xcoll_error_name(report.result) + ": " + report.message);
        }
    }
    expect_blamed(job, size, scenario.name, victim);
    std::printf("%-32s %d ranks: the last one returned after %lld ms\n", scenario.name, size,
                static_cast<long long>(job.slowest_ms(killed, victim)));
    std::fflush(stdout);
    job.finish(victim);
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    const char *seed = std::getenv("RANKS_SEED");
    uint64_t next = seed ? std::strtoull(seed, nullptr, 10) : static_cast<uint64_t>(jobs::now_ms());
    std::printf("RANKS_SEED=%llu\n", static_cast<unsigned long long>(next));
    for (const Scenario &scenario : scenarios) {
        kill_one(size, scenario, next++);
    }
    return 0;
}

// threads
// ranks: 2 3 8
// timeout: 120
//
// A rank is killed while the others have yet to copy out of its memory what it sends. They return with the error that
// names it, whether or not somebody has collected the process.
#include "jobs.h"

using jobs::Job;
using jobs::Member;

namespace {

constexpr size_t large = 100'000;

using Call = xcoll_result_t (*)(const Member &member, std::vector<char> &send, std::vector<char> &recv,
                                xcoll_request_t *requests);

// Each gives rank 0 as many requests as there are ranks at most, and the others what they wait for.
xcoll_result_t alltoall(const Member &member, std::vector<char> &send, std::vector<char> &recv,
                        xcoll_request_t *requests) {
    return xcoll_ialltoall(send.data(), recv.data(), large, XCOLL_INT8, member.comm, requests);
}
xcoll_result_t bcast(const Member &member, std::vector<char> &send, std::vector<char> &recv,
                     xcoll_request_t *requests) {
    return xcoll_ibcast(member.rank == 0 ? send.data() : recv.data(), large, XCOLL_INT8, 0, member.comm, requests);
}
xcoll_result_t message(const Member &member, std::vector<char> &send, std::vector<char> &recv,
                       xcoll_request_t *requests) {
    if (member.rank > 0) {
        return xcoll_irecv(recv.data(), large, XCOLL_INT8, 0, 0, member.comm, requests);
    }
    for (int to = 1; to < member.size; ++to) {
        ranks::succeed(xcoll_isend(send.data(), large, XCOLL_INT8, to, 0, member.comm, &requests[to]));
    }
    return XCOLL_SUCCESS;
}
// Two halves of what each gives, which lie apart.
xcoll_result_t group(const Member &member, std::vector<char> &send, std::vector<char> &recv,
                     xcoll_request_t *requests) {
    constexpr size_t half = large / 2 - 1;
    const auto ranks = static_cast<size_t>(member.size);
    ranks::succeed(xcoll_group_start());
    for (const size_t at : {size_t{0}, large / 2}) {
        ranks::succeed(xcoll_allgather(send.data() + at, half, recv.data() + at * ranks, XCOLL_INT8, member.comm));
    }
    return xcoll_group_iend(requests);
}

struct Scenario {
    const char *name;
    Call call;
};
constexpr Scenario scenarios[] = {{"alltoall", alltoall}, {"bcast", bcast}, {"message", message}, {"group", group}};

void kill_the_lender(int size, const Scenario &scenario, std::atomic<int> &is_dead, bool is_reaped) {
    is_dead = 0;
    Job job(size, "CMA=on", [&](const Member &member) {
        const auto ranks = static_cast<size_t>(member.size);
        std::vector<char> send(large * ranks, 1), recv(large * ranks);
        std::vector<xcoll_request_t> requests(ranks, XCOLL_REQUEST_NULL);
        ranks::succeed(xcoll_barrier(member.comm));
        if (member.rank == 0) {
            ranks::succeed(scenario.call(member, send, recv, requests.data()));
        }
        member.report->is_ready = 1;
        while (is_dead == 0) {
            jobs::sleep_us(1000);
        }
        xcoll_result_t result = scenario.call(member, send, recv, requests.data());
        result = result ? result : xcoll_wait(requests.data());
        member.report->write(result);
        xcoll_comm_t comm = member.comm;
        ranks::succeed(xcoll_comm_free(&comm));
    });
    job.wait_until_ready();
    job.send_signal(0, SIGKILL);
    siginfo_t info;
    ranks::check(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0, "waitid failed");
    if (is_reaped) {
        job.reap(0);
    }
    is_dead = 1;
    job.wait_for_reports(0);
    for (int rank = 1; rank < size; ++rank) {
        const jobs::Report &report = job.report(rank);
        if ((report.result != XCOLL_ERR_PEER_DEAD && report.result != XCOLL_ERR_ABORTED) ||
            !std::strstr(report.message, "rank 0 (")) {
            ranks::wrong(std::string(scenario.name) + ": rank " + std::to_string(rank) + " says " +
                         xcoll_error_name(report.result) + ": " + report.message);
        }
    }
    job.finish(0);
}

} // namespace

int main(int, char **argv) {
    void *memory = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ranks::check(memory != MAP_FAILED, "mmap failed");
    auto &is_dead = *new (memory) std::atomic<int>(0);
    for (const Scenario &scenario : scenarios) {
        kill_the_lender(std::atoi(argv[1]), scenario, is_dead, false);
        kill_the_lender(std::atoi(argv[1]), scenario, is_dead, true);
    }
    return 0;
}

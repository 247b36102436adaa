// threads
// ranks: 3 8
// timeout: 120
//
// A rank that does not come: after the deadline the others say who it is. A rank that is only stopped for a while does
// no harm.
#include "../ranks/values.h"
#include "jobs.h"

using jobs::Job;
using jobs::Member;

namespace {

enum class How { blocking, wait, test };

xcoll_result_t allreduce(const Member &member, How how, size_t count) {
    std::vector<float> data(count, 1);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (how == How::blocking) {
        return xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_FLOAT32, XCOLL_SUM, member.comm);
    }
    ranks::succeed(
        xcoll_iallreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_FLOAT32, XCOLL_SUM, member.comm, &request));
    if (how == How::wait) {
        return xcoll_wait(&request);
    }
    for (int done = 0;;) {
        const xcoll_result_t result = xcoll_test(&request, &done);
        if (done || result != XCOLL_SUCCESS) {
            ranks::check(request == XCOLL_REQUEST_NULL, "a request that failed is not NULL");
            return result;
        }
        jobs::sleep_us(1000);
    }
}

// One stays away until all others have returned: from the first operation, or after a few that all do.
void miss_one(int size, const std::string &settings, How how, size_t count, bool by_call) {
    const int missing = size - 1;
    Job job(size, settings + (by_call ? "" : "TIMEOUT=0.3"), [&](const Member &member) {
        if (by_call) {
            // Without a limit: on a busy machine somebody may be late.
            for (int i = 0; i < 3; ++i) {
                ranks::succeed(allreduce(member, How::blocking, count));
            }
            ranks::succeed(xcoll_comm_set_timeout(member.comm, 300));
        }
        // All begin together: on a busy machine nobody else shall be missing.
        member.report->is_ready = 1;
        for (int rank = 0; rank < size; ++rank) {
            while (!member.report[rank - member.rank].is_ready) {
                jobs::sleep_us(1000);
            }
        }
        if (member.rank == missing) {
            for (int rank = 0; rank < missing; ++rank) {
                while (!member.report[rank - missing].is_written) {
                    jobs::sleep_us(1000);
                }
            }
            // The others have left their part of this one, but no part of the next.
            xcoll_result_t late = XCOLL_SUCCESS;
            while (late == XCOLL_SUCCESS) {
                late = allreduce(member, How::blocking, count);
            }
            member.report->write(late);
            return;
        }
        const xcoll_result_t result = allreduce(member, how, count);
        member.report->write(result);
        jobs::expect_sticky(member.comm, result);
        xcoll_comm_t comm = member.comm;
        ranks::succeed(xcoll_comm_free(&comm));
    });
    job.wait_for_reports();
    const std::string name = "rank " + std::to_string(missing) + " has not entered it";
    for (int rank = 0; rank < size; ++rank) {
        const jobs::Report &report = job.report(rank);
        // One's deadline passes first; the others hear of it.
        const bool timed_out = report.result == XCOLL_ERR_TIMEOUT, told = report.result == XCOLL_ERR_ABORTED;
        if (!timed_out && !told) {
            ranks::wrong("rank " + std::to_string(rank) + " says " + xcoll_error_name(report.result) + ": " +
                         report.message);
        }
        if (rank != missing && settings.empty() && !std::strstr(report.message, name.c_str())) {
            ranks::wrong("the message of rank " + std::to_string(rank) + " does not say that " + name + ": " +
                         report.message);
        }
        ranks::check(rank != missing || told, "who comes too late is told that the others have given up");
    }
    job.finish();
}

// Stopped for longer than any spinning and napping; the job then ends as if nothing had been.
void stop_one(int size, const std::string &settings, uint64_t seed) {
    Job job(size, settings, [&](const Member &member) {
        std::vector<float> data(50'000);
        member.report->is_ready = 1;
        const int64_t end = jobs::now_ms() + 500;
        for (int go_on = 1; go_on;) {
            for (size_t i = 0; i < 10; ++i) {
                std::fill(data.begin(), data.end(), 1.0f);
                ranks::succeed(allreduce(member, How::blocking, i));
                ranks::succeed(
                    xcoll_allreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, member.comm));
                ranks::check(data[0] == static_cast<float>(member.size) && data.back() == data[0],
                             "a stopped rank spoilt a result");
            }
            go_on = jobs::now_ms() < end;
            ranks::succeed(xcoll_bcast(&go_on, 1, XCOLL_INT32, 0, member.comm));
        }
        member.report->write(XCOLL_SUCCESS);
    });
    job.wait_until_ready();
    for (int i = 0; i < 3; ++i) {
        const int rank = static_cast<int>(values::mix(seed + static_cast<uint64_t>(i)) % static_cast<uint64_t>(size));
        job.send_signal(rank, SIGSTOP);
        jobs::sleep_us(100'000);
        job.send_signal(rank, SIGCONT);
        jobs::sleep_us(20'000);
    }
    job.wait_for_reports();
    job.finish();
}

// -1 and 0 seconds mean that there is no limit: nothing fails while a rank is late.
void no_limit(int size) {
    Job job(size, "TIMEOUT=0", [&](const Member &member) {
        ranks::succeed(xcoll_comm_set_timeout(member.comm, -1));
        jobs::sleep_us(member.rank == 0 ? 300'000 : 0);
        ranks::succeed(xcoll_barrier(member.comm));
        member.report->write(XCOLL_SUCCESS);
    });
    job.wait_for_reports();
    job.finish();
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    for (const How how : {How::blocking, How::wait, How::test}) {
        miss_one(size, "", how, 1, false);
        miss_one(size, "", how, 300'000, true);
        miss_one(size, "ALLREDUCE=ring;", how, 100'000, false);
    }
    stop_one(size, "", static_cast<uint64_t>(size));
    stop_one(size, "ALLREDUCE=doubling", static_cast<uint64_t>(size) + 1);
    no_limit(size);
    return 0;
}

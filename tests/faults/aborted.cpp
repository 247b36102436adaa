// threads
// ranks: 1 2 3 8
//
// xcoll_comm_abort: from the caller and from another thread, with operations in flight and without. Everybody gets
// XCOLL_ERR_ABORTED with the reason, on this communicator only.
#include "jobs.h"

using jobs::Job;
using jobs::Member;

namespace {

constexpr const char *reason = "the input is spoilt";

// The last one aborts instead of coming; others are in blocking calls, in waits or in tests.
void instead_of_coming(int size, const std::string &settings) {
    Job job(size, settings, [&](const Member &member) {
        xcoll_comm_t other = XCOLL_COMM_NULL;
        ranks::succeed(xcoll_comm_dup(member.comm, &other));
        xcoll_request_t requests[3] = {};
        std::vector<float> data(200'000);
        xcoll_result_t result = XCOLL_SUCCESS;
        if (member.rank == member.size - 1) {
            jobs::sleep_us(20'000);
            ranks::succeed(xcoll_comm_abort(member.comm, reason));
            result = xcoll_barrier(member.comm);
        } else if (member.rank % 3 == 0) {
            result = xcoll_allreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, member.comm);
        } else {
            for (xcoll_request_t &request : requests) {
                ranks::succeed(xcoll_iallreduce(XCOLL_IN_PLACE, data.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM,
                                                member.comm, &request));
            }
            for (int done = member.rank % 3 == 1; !done && result == XCOLL_SUCCESS;) {
                result = xcoll_test(&requests[0], &done);
            }
            result = xcoll_waitall(3, requests);
        }
        member.report->write(result);
        jobs::expect_sticky(member.comm, XCOLL_ERR_ABORTED);
        // The other communicator has nothing to do with it.
        int one = 1;
        ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, other));
        ranks::check(one == member.size, "allreduce on another communicator has a wrong result");
        xcoll_comm_t comm = member.comm;
        ranks::succeed(xcoll_comm_free(&comm));
        ranks::succeed(xcoll_barrier(other));
        ranks::succeed(xcoll_comm_free(&other));
    });
    job.wait_for_reports();
    const std::string name = "rank " + std::to_string(size - 1);
    for (int rank = 0; rank < size; ++rank) {
        const jobs::Report &report = job.report(rank);
        if (report.result != XCOLL_ERR_ABORTED || !std::strstr(report.message, reason) ||
            !std::strstr(report.message, name.c_str())) {
            ranks::wrong("rank " + std::to_string(rank) + " says " + xcoll_error_name(report.result) + ": " +
                         report.message);
        }
    }
    job.finish();
}

// The thread that waits is inside a blocking call or in xcoll_wait; another one of the same rank gives up.
void from_another_thread(int size, bool blocking) {
    Job job(size, "", [&](const Member &member) {
        if (member.rank == 1 || member.size == 1) {
            // Nobody waits for a rank that is alone.
            ranks::succeed(xcoll_comm_abort(member.comm, reason));
            member.report->write(xcoll_barrier(member.comm));
            return;
        }
        std::thread helper;
        if (member.rank == 0) {
            helper = std::thread([&] {
                jobs::sleep_us(10'000);
                ranks::succeed(xcoll_comm_abort(member.comm, reason));
            });
        }
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        xcoll_result_t result = XCOLL_SUCCESS;
        while (result == XCOLL_SUCCESS) {
            if (blocking) {
                result = xcoll_barrier(member.comm);
            } else if ((result = xcoll_ibarrier(member.comm, &request)) == XCOLL_SUCCESS) {
                result = xcoll_wait(&request);
            }
        }
        member.report->write(result);
        if (helper.joinable()) {
            helper.join();
        }
        jobs::expect_sticky(member.comm, XCOLL_ERR_ABORTED);
        xcoll_comm_t comm = member.comm;
        ranks::succeed(xcoll_comm_free(&comm));
    });
    job.wait_for_reports();
    for (int rank = 0; rank < size; ++rank) {
        const jobs::Report &report = job.report(rank);
        if (report.result != XCOLL_ERR_ABORTED || !std::strstr(report.message, reason)) {
            ranks::wrong("rank " + std::to_string(rank) + " says " + xcoll_error_name(report.result) + ": " +
                         report.message);
        }
    }
    job.finish();
}

// Freed with requests in flight: those end with XCOLL_ERR_ABORTED, and peers do not wait for them.
void freed_in_flight(int size) {
    Job job(size, "", [&](const Member &member) {
        xcoll_comm_t comm = member.comm;
        xcoll_request_t requests[2] = {};
        if (member.rank == 0 && member.size > 1) {
            int data[2] = {};
            for (int i = 0; i < 2; ++i) {
                ranks::succeed(
                    xcoll_iallreduce(XCOLL_IN_PLACE, &data[i], 1, XCOLL_INT32, XCOLL_SUM, comm, &requests[i]));
            }
            ranks::succeed(xcoll_comm_free(&comm));
            int done = 0;
            ranks::expect(XCOLL_ERR_ABORTED, xcoll_test(&requests[0], &done));
            ranks::check(done == 1 && requests[0] == XCOLL_REQUEST_NULL,
                         "a request of a freed communicator is finished");
            const xcoll_result_t result = xcoll_wait(&requests[1]);
            member.report->write(result);
            return;
        }
        // The others come when rank 0 is gone, or just before; then they had better not hang.
        xcoll_result_t result = XCOLL_SUCCESS;
        while (result == XCOLL_SUCCESS && member.size > 1) {
            result = xcoll_barrier(comm);
        }
        member.report->write(member.size > 1 ? result : XCOLL_ERR_ABORTED);
        ranks::succeed(xcoll_comm_free(&comm));
    });
    job.wait_for_reports();
    for (int rank = 0; rank < size; ++rank) {
        const xcoll_result_t result = job.report(rank).result;
        // Before rank 0 was gone, the calls did not match.
        ranks::check(result == XCOLL_ERR_ABORTED || result == XCOLL_ERR_MISMATCH,
                     "a freed communicator was not noticed");
    }
    job.finish();
}

} // namespace

int main(int, char **argv) {
    const int size = std::atoi(argv[1]);
    instead_of_coming(size, "");
    instead_of_coming(size, "ALLREDUCE=ring;BCAST=tree");
    instead_of_coming(size, "ALLREDUCE=streamed");
    from_another_thread(size, true);
    from_another_thread(size, false);
    freed_in_flight(size);
    return 0;
}

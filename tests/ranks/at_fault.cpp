// ranks: 2 3 5 8
// timeout: 120
//
// The status of a request that failed names the rank at fault, on every rank that is told; that of one that succeeded
// names nobody. It says how long the operation took.
#include <algorithm>
#include <chrono>

#include "ranks.h"

using ranks::Rank;

namespace {

xcoll_status_t end_of(xcoll_request_t &request) {
    xcoll_status_t status;
    int done = 0;
    xcoll_wait_for(&request, -1, &done, &status);
    ranks::check(done == 1 && request == XCOLL_REQUEST_NULL, "a wait without limit returned before the end");
    return status;
}

void expect_blame(const xcoll_status_t &status, const std::vector<xcoll_result_t> &results, int rank, const char *when,
                  const ranks::Location &where = ranks::Location::current()) {
    const bool as_wanted = std::find(results.begin(), results.end(), status.result) != results.end();
    if (!as_wanted || status.rank != rank) {
        ranks::wrong(std::string(when) + ": " + xcoll_error_name(status.result) + " by rank " +
                         std::to_string(status.rank) + ", expected " + xcoll_error_name(results[0]) + " by rank " +
                         std::to_string(rank),
                     where);
    }
}

std::vector<float> data(1000, 1);

// Whoever called something else is named; to that rank all others did. Messages tell only what a neighbour did, who may
// have left because of another one.
void of_another_call(const Rank &rank, xcoll_comm_t comm, bool by_messages) {
    const int offender = rank.size() / 2;
    std::vector<float> sums(data.size());
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(data.data(), sums.data(), rank.rank() == offender ? 3 : 7, XCOLL_FLOAT32, XCOLL_SUM,
                                    comm, &request));
    const xcoll_status_t status = end_of(request);
    if (rank.rank() != offender && !by_messages) {
        expect_blame(status, {XCOLL_ERR_MISMATCH}, offender, "another count");
    } else {
        ranks::check(status.result == XCOLL_ERR_MISMATCH && status.rank >= 0 && status.rank < rank.size() &&
                         status.rank != rank.rank(),
                     "another count: the status does not name another rank");
    }
}

// A call that was refused on one rank.
void of_a_refused_call(const Rank &rank, xcoll_comm_t comm, bool by_messages) {
    std::vector<float> sums(data.size());
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (rank.rank() == 0) {
        ranks::expect(XCOLL_ERR_TYPE,
                      xcoll_iallreduce(data.data(), sums.data(), data.size(), 7, XCOLL_SUM, comm, &request));
        return;
    }
    ranks::succeed(xcoll_iallreduce(data.data(), sums.data(), data.size(), XCOLL_FLOAT32, XCOLL_SUM, comm, &request));
    const xcoll_status_t status = end_of(request);
    expect_blame(status, {XCOLL_ERR_MISMATCH}, by_messages ? status.rank : 0, "a refused call");
    ranks::check(status.rank >= 0 && status.rank != rank.rank(),
                 "a refused call: the status does not name another rank");
}

void of_too_long_a_message(const Rank &rank, xcoll_comm_t comm) {
    const int to = (rank.rank() + 1) % rank.size(), from = (rank.rank() + rank.size() - 1) % rank.size();
    char sent[64] = {}, room[32];
    xcoll_request_t receive = XCOLL_REQUEST_NULL, send = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_irecv(room, sizeof room, XCOLL_UINT8, from, 1, comm, &receive));
    ranks::succeed(xcoll_isend(sent, sizeof sent, XCOLL_UINT8, to, 1, comm, &send));
    expect_blame(end_of(receive), {XCOLL_ERR_TRUNCATE}, from, "too long a message");
    expect_blame(end_of(send), {XCOLL_SUCCESS}, XCOLL_UNDEFINED, "its sender");
}

xcoll_result_t refuse(const void *, void *, size_t, xcoll_dtype_t, void *) {
    return XCOLL_ERR_UNSUPPORTED;
}

// Where a user's function fails, that rank is at fault.
void of_an_operator(const Rank &rank, xcoll_comm_t comm) {
    xcoll_op_t op = 0;
    ranks::succeed(xcoll_op_create(refuse, nullptr, nullptr, "refuse", 0, &op));
    std::vector<float> sums(data.size());
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(data.data(), sums.data(), data.size(), XCOLL_FLOAT32, op, comm, &request));
    const xcoll_status_t status = end_of(request);
    ranks::check(status.result == XCOLL_ERR_OP || status.result == XCOLL_ERR_MISMATCH, "an operator failed in silence");
    ranks::check(status.rank >= 0 && status.rank < rank.size(), "nobody is named for an operator that failed");
    ranks::check(status.result != XCOLL_ERR_OP || status.rank == rank.rank(), "another rank's operator is named");
    ranks::succeed(xcoll_op_free(&op));
}

int64_t now_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void expect_under_way(const xcoll_status_t &status) {
    ranks::check(status.result == XCOLL_IN_PROGRESS && status.elapsed_ns == 0, "the status is of something over");
}

// Other threads of the process move the request as well, and may end it between a look and what is told of it.
void that_is_over_when_it_is_done(const Rank &, xcoll_comm_t comm) {
    constexpr int rounds = 2000; // two looks instead of one were met within 200 of them
    for (int round = 0; round < rounds; ++round) {
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_ibarrier(comm, &request));
        for (int done = 0; !done;) {
            xcoll_status_t status;
            ranks::succeed(xcoll_wait_for(&request, 0, &done, &status));
            if (!done) {
                expect_under_way(status);
            }
        }
    }
}

// It polls, so it knows of a time at which the operation was under way, and one at which it was over.
void that_it_took_so_long(const Rank &rank, xcoll_comm_t comm) {
    rank.meet();
    if (rank.rank() == 0) {
        usleep(20'000);
    }
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const int64_t before = now_ns();
    ranks::succeed(xcoll_ibarrier(comm, &request));
    int64_t under_way = now_ns();
    const int64_t started = under_way;
    xcoll_status_t status;
    for (int done = 0; !done;) {
        const int64_t now = now_ns();
        ranks::succeed(xcoll_wait_for(&request, 0, &done, &status));
        if (!done) {
            under_way = now;
            expect_under_way(status);
        }
    }
    const int64_t after = now_ns();
    constexpr double drift = 0.05; // between the clock here and the processor's
    const auto elapsed = static_cast<double>(status.elapsed_ns);
    if (elapsed < static_cast<double>(under_way - started) * (1 - drift) ||
        elapsed > static_cast<double>(after - before) * (1 + drift) || status.elapsed_ns == 0) {
        ranks::wrong("it took " + std::to_string(status.elapsed_ns) + " ns, expected " +
                     std::to_string(under_way - started) + " to " + std::to_string(after - before));
    }
    expect_blame(status, {XCOLL_SUCCESS}, XCOLL_UNDEFINED, "a barrier");
}

// If the last status was wanted; else nobody reads the clock.
void that_one_started_again_was_timed(const Rank &rank, xcoll_comm_t comm) {
    constexpr uint64_t not_timed = 1;
    const std::vector<float> mine(4, 1);
    std::vector<float> sums(mine.size());
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(
        xcoll_allreduce_init(mine.data(), sums.data(), mine.size(), XCOLL_FLOAT32, XCOLL_SUM, comm, &request));
    const auto is_timed = [&] {
        ranks::succeed(xcoll_start(&request));
        rank.meet();
        xcoll_status_t status;
        int done = 0;
        ranks::succeed(xcoll_wait_for(&request, -1, &done, &status));
        return status.elapsed_ns > not_timed;
    };
    ranks::check(is_timed(), "the first start was not timed");
    ranks::check(is_timed(), "it was not timed though a status was asked for before");
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::check(!is_timed(), "it was timed though nobody asked for the last status");
    ranks::check(is_timed(), "it was not timed after a status was asked for again");
    ranks::succeed(xcoll_request_free(&request));
}

void of_an_abort(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    const int offender = rank.size() - 1;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (rank.rank() == offender) {
        ranks::succeed(xcoll_comm_abort(comm, "a test"));
    } else if (xcoll_ibarrier(comm, &request) == XCOLL_SUCCESS) {
        expect_blame(end_of(request), {XCOLL_ERR_ABORTED}, offender, "an abort");
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

// The first one whose time is over tells the others whom it missed.
void of_one_that_does_not_come(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    ranks::succeed(xcoll_comm_set_timeout(comm, 200)); // not as a setting, which would bound the start as well
    const int missing = rank.size() / 2;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (rank.rank() != missing) {
        ranks::succeed(xcoll_ibarrier(comm, &request));
    }
    rank.meet(); // nobody else is missing, however busy the machine is
    if (rank.rank() != missing) {
        expect_blame(end_of(request), {XCOLL_ERR_TIMEOUT, XCOLL_ERR_ABORTED}, missing, "a deadline");
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    for (const char *settings : {"", "ALLREDUCE=doubling", "SHM_BUDGET=1M"}) {
        xcoll_comm_t comm = rank.open(settings);
        const bool by_messages = std::string(settings) == "ALLREDUCE=doubling";
        of_another_call(rank, comm, by_messages);
        of_a_refused_call(rank, comm, by_messages);
        of_too_long_a_message(rank, comm);
        of_an_operator(rank, comm);
        that_it_took_so_long(rank, comm);
        that_one_started_again_was_timed(rank, comm);
        that_is_over_when_it_is_done(rank, comm);
        ranks::succeed(xcoll_comm_free(&comm));
    }
    of_an_abort(rank);
    of_one_that_does_not_come(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

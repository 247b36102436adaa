// ranks: 2 3
// timeout: 60
//
// What a rank learns of trouble on another one: an abort while it only tests, a communicator freed in the middle of an
// operation, a split with arguments that are not valid; and that a refused call with a request does not wait.
#include <sched.h>

#include "ranks.h"

using ranks::expect;
using ranks::Rank;
using ranks::succeed;

namespace {

// Rank 0 only tests and would never look at its peers otherwise.
void an_abort_ends_a_loop_of_tests(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    xcoll_request_t request;
    if (rank.rank() == rank.size() - 1) {
        succeed(xcoll_comm_abort(comm, "no more of this"));
    } else {
        succeed(xcoll_ibarrier(comm, &request));
        xcoll_result_t result = XCOLL_SUCCESS;
        for (int done = 0; !done;) {
            result = xcoll_test(&request, &done);
            sched_yield();
        }
        expect(XCOLL_ERR_ABORTED, result);
        ranks::expect_message({"no more of this"});
    }
    rank.meet();
    succeed(xcoll_comm_free(&comm));
}

// The last rank has begun the operation, so its head is there, but has not done its part of the blocks: it begins and
// frees before the others come, as it could go on with them, to the end, or a thread of theirs could for it.
void a_free_ends_the_operations_of_others(const Rank &rank) {
    constexpr size_t count = size_t{4} << 20;
    xcoll_comm_t comm = rank.open();
    std::vector<int32_t> data(count, 1);
    if (rank.rank() == rank.size() - 1) {
        xcoll_request_t request;
        succeed(xcoll_iallreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_INT32, XCOLL_SUM, comm, &request));
        succeed(xcoll_comm_free(&comm));
        rank.meet();
        expect(XCOLL_ERR_ABORTED, xcoll_wait(&request));
    } else {
        rank.meet();
        expect(XCOLL_ERR_ABORTED, xcoll_allreduce(XCOLL_IN_PLACE, data.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
    }
    rank.meet();
    succeed(xcoll_comm_free(&comm));
}

void a_refused_split_is_told(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    xcoll_comm_t part;
    if (rank.rank() == 0) {
        expect(XCOLL_ERR_ARGUMENT, xcoll_comm_split(comm, -5, 0, &part));
        expect(XCOLL_ERR_ARGUMENT, xcoll_comm_dup(comm, nullptr));
    } else {
        expect(XCOLL_ERR_MISMATCH, xcoll_comm_split(comm, 1, 0, &part));
        ranks::expect_message({"rank 0"});
        expect(XCOLL_ERR_MISMATCH, xcoll_comm_dup(comm, &part));
    }
    succeed(xcoll_comm_split(comm, 1, 0, &part));
    succeed(xcoll_barrier(part));
    succeed(xcoll_comm_free(&part));
    succeed(xcoll_comm_free(&comm));
}

// The peers come only after it has returned, although it has no credit for its number.
void a_refused_request_does_not_wait(const Rank &rank) {
    constexpr int ahead = 20;
    xcoll_comm_t comm = rank.open();
    std::vector<xcoll_request_t> requests(ahead);
    const auto start = [&] {
        for (xcoll_request_t &request : requests) {
            succeed(xcoll_ibarrier(comm, &request));
        }
    };
    if (rank.rank() == 0) {
        start();
        xcoll_request_t none = XCOLL_REQUEST_NULL;
        expect(XCOLL_ERR_TYPE, xcoll_ibcast(&none, 1, 0, 0, comm, &none));
        rank.meet();
    } else {
        rank.meet();
        start();
    }
    if (rank.rank() != 0) {
        expect(XCOLL_ERR_MISMATCH, xcoll_barrier(comm));
    }
    succeed(xcoll_waitall(requests.size(), requests.data()));
    succeed(xcoll_barrier(comm));
    succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    an_abort_ends_a_loop_of_tests(rank);
    a_free_ends_the_operations_of_others(rank);
    a_refused_split_is_told(rank);
    a_refused_request_does_not_wait(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 2 3
//
// Persistent requests that are refused, or cannot be started, leave nobody waiting and nothing out of step: what else
// was to be started is started, and a start that was refused takes its place in the order.
#include "in_step.h"

using ranks::Rank;

namespace {

// Of two in a list the first is on a communicator that this rank has aborted.
void a_list_is_started_behind_one_that_has_failed(const Rank &rank, xcoll_comm_t comm) {
    xcoll_comm_t aborted = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &aborted));
    const int one = 1;
    int nothing = 0, sum = 0;
    xcoll_request_t list[2];
    ranks::succeed(xcoll_allreduce_init(&one, &nothing, 1, XCOLL_INT32, XCOLL_SUM, aborted, &list[0]));
    ranks::succeed(xcoll_allreduce_init(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &list[1]));
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_comm_abort(aborted, "as a test"));
        ranks::expect(XCOLL_ERR_ABORTED, xcoll_startall(2, list));
        ranks::expect(XCOLL_ERR_STATE, xcoll_startall(2, list)); // both are active
    } else {
        xcoll_startall(2, list); // as it has heard of it or not
    }
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_waitall(2, list));
    ranks::check(sum == rank.size(), "a request behind one that has failed was not started");
    for (xcoll_request_t &request : list) {
        ranks::succeed(xcoll_request_free(&request));
    }
    ranks::succeed(xcoll_comm_free(&aborted));
}

void a_refused_start_takes_its_place(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    xcoll_request_t request;
    ranks::succeed(xcoll_allreduce_init(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &request));
    const bool is_refused = rank.rank() == 0;
    ranks::expect(is_refused ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH,
                  xcoll_start_enqueue(&request, is_refused ? &one : nullptr));
    ranks::expect_in_step(rank, comm);
    ranks::succeed(xcoll_start_enqueue(&request, nullptr));
    ranks::check(sum == rank.size(), "a request that was refused once does not start any more");
    ranks::succeed(xcoll_request_free(&request));
}

// Nobody takes what was there before for a request.
void a_refused_call_leaves_no_request(const Rank &, xcoll_comm_t comm) {
    const auto garbage = reinterpret_cast<xcoll_request_t>(uintptr_t{0x33});
    const auto refused = [=](xcoll_result_t result, auto call,
                             const ranks::Location &where = ranks::Location::current()) {
        xcoll_request_t request = garbage;
        ranks::expect(result, call(&request), where);
        ranks::check(request == XCOLL_REQUEST_NULL, "a refused call leaves something that is no request", where);
    };
    refused(XCOLL_ERR_ARGUMENT, [](auto *request) { return xcoll_ibarrier(XCOLL_COMM_NULL, request); });
    refused(XCOLL_ERR_ARGUMENT, [](auto *request) { return xcoll_barrier_init(XCOLL_COMM_NULL, request); });
    ranks::succeed(xcoll_group_start());
    refused(XCOLL_ERR_ARGUMENT, [](auto *request) { return xcoll_ibarrier(XCOLL_COMM_NULL, request); });
    refused(XCOLL_ERR_STATE, [=](auto *request) { return xcoll_barrier_init(comm, request); });
    refused(XCOLL_ERR_ARGUMENT, [](auto *request) { return xcoll_group_iend(request); });
}

void an_init_within_a_group_fails_the_group(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    const bool is_refused = rank.rank() == 0;
    if (is_refused) {
        ranks::expect(XCOLL_ERR_STATE, xcoll_barrier_init(comm, &request));
    }
    ranks::expect(is_refused ? XCOLL_ERR_STATE : XCOLL_ERR_MISMATCH, xcoll_group_end());
    ranks::check(sum == 0, "a group with an _init has run");
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const auto part : {a_list_is_started_behind_one_that_has_failed, a_refused_start_takes_its_place,
                            a_refused_call_leaves_no_request, an_init_within_a_group_fails_the_group}) {
        part(rank, comm);
        ranks::expect_in_step(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

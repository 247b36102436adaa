// ranks: 1 3
//
// Groups that are used wrongly get STATE, and say why; a group that is cancelled has not happened.
#include "mistakes.h"

using mistakes::make;
using ranks::Rank;

namespace {

constexpr int untouched = -7;

void outside_of_a_group(const Rank &, xcoll_comm_t) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    make({
        {"xcoll_group_then", [] { return xcoll_group_then(); }, XCOLL_ERR_STATE, {"no group is open"}},
        {"xcoll_group_end", [] { return xcoll_group_end(); }, XCOLL_ERR_STATE, {"no group is open"}},
        {"xcoll_group_iend", [&] { return xcoll_group_iend(&request); }, XCOLL_ERR_STATE, {"no group is open"}},
        {"xcoll_group_end_init", [&] { return xcoll_group_end_init(&request); }, XCOLL_ERR_STATE, {"no group is open"}},
    });
    ranks::check(request == XCOLL_REQUEST_NULL, "what has not begun has no request");
    ranks::succeed(xcoll_group_cancel()); // there is nothing to forget
}

void what_cannot_be_in_a_group(const Rank &, xcoll_comm_t comm) {
    int one = 1, sum = untouched;
    xcoll_request_t own = XCOLL_REQUEST_NULL, whole = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    make({{"xcoll_allreduce_init",
           [&] { return xcoll_allreduce_init(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &whole); },
           XCOLL_ERR_STATE,
           {"a group is open", "xcoll_group_end_init"}}});
    ranks::succeed(xcoll_iallreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &own));
    make({{"xcoll_wait", [&] { return xcoll_wait(&own); }, XCOLL_ERR_STATE, {"a group that has not ended"}},
          {"xcoll_group_end_init",
           [&] { return xcoll_group_end_init(&whole); },
           XCOLL_ERR_STATE,
           {"request of its own"}}});
    ranks::check(whole == XCOLL_REQUEST_NULL, "a group that is refused has no request");
    ranks::succeed(xcoll_group_cancel());
    ranks::expect(XCOLL_ERR_ABORTED, xcoll_wait(&own));
}

// What the last rank's group has, the other ranks wait for.
void a_call_on_no_communicator(const Rank &rank, xcoll_comm_t comm) {
    const bool bad = rank.rank() == rank.size() - 1;
    int one = 1, sum = untouched;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    if (bad) {
        make({{"xcoll_barrier", [] { return xcoll_barrier(XCOLL_COMM_NULL); }, XCOLL_ERR_ARGUMENT, {"comm"}}});
    }
    ranks::expect(bad ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
    ranks::check(sum == untouched, "a call of a group that failed has written a result");
    ranks::succeed(xcoll_barrier(comm));
}

void a_communicator_stays_as_long_as_its_group(const Rank &, xcoll_comm_t comm) {
    xcoll_comm_t own = XCOLL_COMM_NULL;
    int data = 1;
    ranks::succeed(xcoll_comm_dup(comm, &own));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_bcast(&data, 1, XCOLL_INT32, 0, own));
    make({{"xcoll_comm_free", [&] { return xcoll_comm_free(&own); }, XCOLL_ERR_STATE, {"comm", "group"}}});
    ranks::succeed(xcoll_group_end());
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_barrier(own));
    make({{"xcoll_comm_free", [&] { return xcoll_comm_free(&own); }, XCOLL_ERR_STATE, {"comm", "group"}}});
    ranks::succeed(xcoll_group_cancel());
    ranks::succeed(xcoll_comm_free(&own));
}

// Rank 1 sends on what it receives, which rank 0 sends once it knows that the group is under way; a stage without calls
// lies between.
void an_empty_stage_keeps_the_order(const Rank &rank, xcoll_comm_t comm) {
    constexpr int begun = 5, there = 6, back = 7;
    int flag = 1, data = rank.rank() == 0 ? 42 : untouched;
    if (rank.size() > 1 && rank.rank() == 0) {
        ranks::succeed(xcoll_recv(&flag, 1, XCOLL_INT32, 1, begun, comm));
        ranks::succeed(xcoll_send(&data, 1, XCOLL_INT32, 1, there, comm));
        data = untouched;
        ranks::succeed(xcoll_recv(&data, 1, XCOLL_INT32, 1, back, comm));
        ranks::check(data == 42, "a stage began before the one ahead of an empty one was complete");
    } else if (rank.rank() == 1) {
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_send(&flag, 1, XCOLL_INT32, 0, begun, comm));
        ranks::succeed(xcoll_recv(&data, 1, XCOLL_INT32, 0, there, comm));
        ranks::succeed(xcoll_group_then());
        ranks::succeed(xcoll_group_then());
        ranks::succeed(xcoll_send(&data, 1, XCOLL_INT32, 0, back, comm));
        ranks::succeed(xcoll_group_end());
    }
}

// Whatever was in it, however deep.
void cancelled(const Rank &rank, xcoll_comm_t comm) {
    const int to = (rank.rank() + 1) % rank.size();
    int mine = rank.rank(), sum = untouched, received = untouched;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    uint64_t before = 0, after = 0;
    ranks::succeed(xcoll_comm_sequence(comm, &before));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&mine, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_send(&mine, 1, XCOLL_INT32, to, 0, comm));
    ranks::succeed(xcoll_irecv(&received, 1, XCOLL_INT32, XCOLL_ANY_SOURCE, 0, comm, &request));
    ranks::succeed(xcoll_group_cancel());
    make({{"xcoll_group_end", [] { return xcoll_group_end(); }, XCOLL_ERR_STATE, {"no group is open"}}});
    make({{"xcoll_wait", [&] { return xcoll_wait(&request); }, XCOLL_ERR_ABORTED, {"was cancelled"}}});
    ranks::check(request == XCOLL_REQUEST_NULL, "a request that is done is NULL");
    ranks::succeed(xcoll_barrier(comm));
    ranks::check(sum == untouched && received == untouched, "a call of a cancelled group has written a result");
    ranks::succeed(xcoll_comm_sequence(comm, &after));
    ranks::check(after == before + 1, "a call of a cancelled group has taken a number");
}

void streams(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0, again = 0;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce_enqueue(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, nullptr));
    ranks::succeed(xcoll_allreduce_enqueue(&one, &again, 1, XCOLL_INT32, XCOLL_MAX, comm, nullptr));
    ranks::succeed(xcoll_group_end());
    ranks::check(sum == rank.size() && again == 1, "what is enqueued in a group has a wrong result");
    make({{"xcoll_barrier_enqueue",
           [&] { return xcoll_barrier_enqueue(comm, &one); },
           XCOLL_ERR_ARGUMENT,
           {"stream", "expected NULL"}}});
}

void test(Rank &rank) {
    mistakes::make_all(rank,
                       {outside_of_a_group, what_cannot_be_in_a_group, a_call_on_no_communicator,
                        a_communicator_stays_as_long_as_its_group, an_empty_stage_keeps_the_order, cancelled, streams});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 3
//
// Requests that are used at the wrong time get STATE, and say why; a message that was too long says whose it was.
#include <cstring>

#include "mistakes.h"

using mistakes::make;
using ranks::Rank;

namespace {

void start_of_what_cannot_be_started(const Rank &, xcoll_comm_t comm) {
    xcoll_request_t started = XCOLL_REQUEST_NULL, once = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_barrier_init(comm, &started));
    ranks::succeed(xcoll_start(&started));
    ranks::succeed(xcoll_ibarrier(comm, &once));
    make({
        {"xcoll_start", [&] { return xcoll_start(&started); }, XCOLL_ERR_STATE, {"request is active"}},
        {"xcoll_start", [&] { return xcoll_start(&once); }, XCOLL_ERR_ARGUMENT, {"request is not persistent"}},
        {"xcoll_start_enqueue",
         [&] { return xcoll_start_enqueue(&started, nullptr); },
         XCOLL_ERR_STATE,
         {"request is active"}},
    });
    xcoll_request_t both[] = {started, once};
    make({{"xcoll_startall", [&] { return xcoll_startall(2, both); }, XCOLL_ERR_STATE, {"requests[0] is active"}}});
    ranks::succeed(xcoll_wait(&started));
    make({{"xcoll_startall", [&] { return xcoll_startall(2, both); }, XCOLL_ERR_ARGUMENT, {"requests[1] is not"}}});
    ranks::succeed(xcoll_wait(&once));
    ranks::succeed(xcoll_request_free(&started));
}

// Nothing has ended there.
void done_is_0_where_a_test_is_refused(const Rank &, xcoll_comm_t comm) {
    xcoll_request_t grouped = XCOLL_REQUEST_NULL, none = reinterpret_cast<xcoll_request_t>(comm);
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_ibarrier(comm, &grouped));
    int done = 1;
    ranks::expect(XCOLL_ERR_STATE, xcoll_test(&grouped, &done));
    ranks::check(done == 0, "xcoll_test says that a call of an open group is done");
    done = 1;
    ranks::expect(XCOLL_ERR_STATE, xcoll_wait_for(&grouped, 0, &done, nullptr));
    ranks::check(done == 0, "xcoll_wait_for says that a call of an open group is done");
    ranks::succeed(xcoll_group_end());
    done = 1;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_test(&none, &done));
    ranks::check(done == 0, "xcoll_test says that what is no request is done");
    ranks::succeed(xcoll_barrier_init(comm, &none));
    done = 1;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_test_part(none, 1, &done));
    ranks::check(done == 0, "xcoll_test_part says that a part that there is not is done");
    ranks::succeed(xcoll_request_free(&none));
    ranks::succeed(xcoll_wait(&grouped));
}

// Then none of the list is started: the next start and wait of each are as if there had been no such call.
void a_list_with_the_same_request_twice_starts_nothing(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    xcoll_request_t other = XCOLL_REQUEST_NULL, twice = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_barrier_init(comm, &other));
    ranks::succeed(xcoll_allreduce_init(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm, &twice));
    xcoll_request_t list[] = {twice, other, twice};
    uint64_t before = 0, after = 0;
    ranks::succeed(xcoll_comm_sequence(comm, &before));
    make({{"xcoll_startall",
           [&] { return xcoll_startall(3, list); },
           XCOLL_ERR_STATE,
           {"requests[2] is requests[0] once more"}}});
    ranks::succeed(xcoll_comm_sequence(comm, &after));
    ranks::check(before == after, "a list that was refused has started an operation");
    ranks::succeed(xcoll_startall(2, list));
    ranks::succeed(xcoll_waitall(2, list));
    ranks::check(sum == rank.size(), "a request that was in a list twice has a wrong result");
    ranks::succeed(xcoll_request_free(&other));
    ranks::succeed(xcoll_request_free(&twice));
}

// Alone and in a group: a part of it is enough.
void start_after_the_communicator_was_freed(const Rank &, xcoll_comm_t comm) {
    xcoll_comm_t child = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(comm, &child));
    int one = 1, sum = 0;
    xcoll_request_t alone = XCOLL_REQUEST_NULL, group = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_allreduce_init(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, child, &alone));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_barrier(child));
    ranks::succeed(xcoll_group_end_init(&group));
    for (xcoll_request_t *request : {&alone, &group}) {
        ranks::succeed(xcoll_start(request));
        ranks::succeed(xcoll_wait(request));
    }
    ranks::succeed(xcoll_comm_free(&child));
    for (xcoll_request_t *request : {&alone, &group}) {
        make({{"xcoll_start", [&] { return xcoll_start(request); }, XCOLL_ERR_STATE, {"communicator that was freed"}}});
        ranks::succeed(xcoll_wait(request)); // it is inactive
        ranks::succeed(xcoll_request_free(request));
    }
}

// Of a request that is active, that is inactive, and that has no calls at all.
void parts_that_a_request_does_not_have(const Rank &, xcoll_comm_t comm) {
    xcoll_request_t two = XCOLL_REQUEST_NULL, nothing = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(xcoll_group_end_init(&two));
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_group_end_init(&nothing));
    int done = 0;
    const auto expect_refusals = [&] {
        for (const size_t part : {size_t{2}, SIZE_MAX}) {
            const std::vector<std::string> said = {"part " + std::to_string(part), "of 2 calls: expected 0 to 1"};
            make({
                {"xcoll_test_part", [&] { return xcoll_test_part(two, part, &done); }, XCOLL_ERR_ARGUMENT, said},
                {"xcoll_wait_part", [&] { return xcoll_wait_part(two, part); }, XCOLL_ERR_ARGUMENT, said},
            });
        }
        make({
            {"xcoll_test_part", [&] { return xcoll_test_part(nothing, 0, &done); }, XCOLL_ERR_ARGUMENT, {"no calls"}},
            {"xcoll_wait_part", [&] { return xcoll_wait_part(nothing, 0); }, XCOLL_ERR_ARGUMENT, {"no calls"}},
        });
    };
    expect_refusals();
    ranks::succeed(xcoll_wait_part(two, 1)); // it is inactive
    ranks::succeed(xcoll_start(&two));
    ranks::succeed(xcoll_start(&nothing));
    expect_refusals();
    ranks::succeed(xcoll_wait_part(two, 1));
    for (xcoll_request_t *request : {&two, &nothing}) {
        ranks::succeed(xcoll_wait(request));
        ranks::succeed(xcoll_request_free(request));
    }
    ranks::succeed(xcoll_wait_part(XCOLL_REQUEST_NULL, 7)); // there is nothing that it could be a part of
}

// Every rank sends to the next one.
void a_message_that_is_too_long_says_whose_it_was(const Rank &rank, xcoll_comm_t comm) {
    const int size = rank.size(), to = (rank.rank() + 1) % size, from = (rank.rank() + size - 1) % size;
    constexpr size_t sent = 7, room = 5;
    constexpr int tag = 11;
    const int64_t data[sent] = {};
    int64_t out[sent] = {};
    xcoll_request_t requests[2] = {};
    xcoll_status_t statuses[2];
    ranks::succeed(xcoll_irecv(out, room, XCOLL_INT64, XCOLL_ANY_SOURCE, XCOLL_ANY_TAG, comm, &requests[0]));
    ranks::succeed(xcoll_isend(data, sent, XCOLL_INT64, to, tag, comm, &requests[1]));
    const xcoll_result_t result = xcoll_waitall_status(2, requests, statuses);
    ranks::check(result == XCOLL_ERR_TRUNCATE, "a message that is too long is not reported");
    const xcoll_status_t &status = statuses[0];
    ranks::check(status.result == XCOLL_ERR_TRUNCATE, "its status has another result");
    ranks::check(status.source == from && status.tag == tag, "its status does not say whose it was");
    ranks::check(status.bytes == sent * sizeof data[0], "its status does not say how long it was");
    ranks::check(statuses[1].result == XCOLL_SUCCESS, "its sender has an error");
}

void a_refused_request_among_many_is_told_by_its_place_and_its_status(const Rank &, xcoll_comm_t comm) {
    int in = 1, out = 0;
    xcoll_request_t one = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_iallreduce(&in, &out, 1, XCOLL_INT32, XCOLL_SUM, comm, &one));
    xcoll_request_t requests[3] = {one, one, XCOLL_REQUEST_NULL};
    xcoll_status_t statuses[3];
    std::memset(statuses, 0x5a, sizeof statuses);
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_waitall_status(3, requests, statuses));
    ranks::expect_message({"requests[1]"});
    ranks::check(statuses[0].result == XCOLL_SUCCESS, "a request beside a refused one has an error");
    ranks::check(statuses[1].result == XCOLL_ERR_ARGUMENT && statuses[1].source == XCOLL_UNDEFINED,
                 "the status of a refused request does not say so");
    ranks::check(statuses[2].result == XCOLL_SUCCESS, "the status of no request has an error");
    int done = 0;
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_wait_for(&requests[1], 0, &done, &statuses[0]));
    ranks::check(statuses[0].result == XCOLL_ERR_ARGUMENT, "xcoll_wait_for leaves the status of a refused request");
}

void sendrecv_with_buffers_that_overlap(const Rank &rank, xcoll_comm_t comm) {
    int data[8] = {};
    const int self = rank.rank();
    const auto exchange = [&](const int *send, int *recv, size_t received) {
        return xcoll_sendrecv(send, 4, self, 0, recv, received, self, 0, XCOLL_INT32, comm);
    };
    make({
        {"xcoll_sendrecv",
         [&] { return exchange(data, data, 4); },
         XCOLL_ERR_ARGUMENT,
         {"send", "recv", "overlap", "expected separate buffers"}},
        {"xcoll_sendrecv",
         [&] { return exchange(data, data + 3, 4); },
         XCOLL_ERR_ARGUMENT,
         {"send", "recv", "overlap", "expected separate buffers"}},
        {"xcoll_sendrecv",
         [&] { return exchange(data + 4, data, 5); },
         XCOLL_ERR_ARGUMENT,
         {"send", "recv", "overlap", "expected separate buffers"}},
    });
    ranks::succeed(exchange(data, data + 4, 4));
}

void rebinds(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> send(2, 1), gathered(2 * size), sums(2), address(2 * size);
    xcoll_request_t request = XCOLL_REQUEST_NULL, once = XCOLL_REQUEST_NULL;
    const std::vector<size_t> counts(size, 2);
    std::vector<size_t> places;
    for (size_t p = 0; p < size; ++p) {
        places.push_back(reinterpret_cast<size_t>(&address[2 * p]));
    }
    const std::vector<xcoll_dtype_t> types(size, XCOLL_INT32);
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allgather(send.data(), 2, gathered.data(), XCOLL_INT32, comm));
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, sums.data(), 2, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_barrier(comm));
    ranks::succeed(
        xcoll_allgatherw(send.data(), 2, XCOLL_INT32, nullptr, counts.data(), places.data(), types.data(), comm));
    ranks::succeed(xcoll_group_end_init(&request));
    const auto rebind = [&](size_t part, int slot, void *buffer) {
        return xcoll_request_rebind(request, part, slot, buffer);
    };
    const char *name = "xcoll_request_rebind";
    make({
        {name, [&] { return rebind(4, XCOLL_SLOT_SEND, send.data()); }, XCOLL_ERR_ARGUMENT, {"part 4"}},
        {name, [&] { return rebind(0, XCOLL_SLOT_B, send.data()); }, XCOLL_ERR_ARGUMENT, {"slot 2", "allgather"}},
        {name, [&] { return rebind(0, 7, send.data()); }, XCOLL_ERR_ARGUMENT, {"slot 7"}},
        {name, [&] { return rebind(0, XCOLL_SLOT_SEND, nullptr); }, XCOLL_ERR_ARGUMENT, {"buffer is NULL"}},
        {name, [&] { return rebind(0, XCOLL_SLOT_RECV, XCOLL_IN_PLACE); }, XCOLL_ERR_ARGUMENT, {"XCOLL_IN_PLACE"}},
        {name, [&] { return rebind(0, XCOLL_SLOT_RECV, &send[1]); }, XCOLL_ERR_ARGUMENT, {"buffer", "overlap"}},
        {name, [&] { return rebind(1, XCOLL_SLOT_SEND, send.data()); }, XCOLL_ERR_ARGUMENT, {"slot 0", "other slot"}},
        {name, [&] { return rebind(3, XCOLL_SLOT_RECV, &address[0]); }, XCOLL_ERR_ARGUMENT, {"addresses"}},
    });
    ranks::succeed(rebind(2, XCOLL_SLOT_SEND, nullptr)); // a barrier has nothing that could be elsewhere
    ranks::succeed(xcoll_start(&request));
    make({{name, [&] { return rebind(0, XCOLL_SLOT_SEND, send.data()); }, XCOLL_ERR_STATE, {"active"}}});
    ranks::succeed(xcoll_wait(&request));
    ranks::check(gathered == std::vector<int>(2 * size, 1), "what was refused has changed the plan");
    ranks::succeed(xcoll_request_free(&request));
    ranks::succeed(xcoll_ibarrier(comm, &once));
    make({{name, [&] { return xcoll_request_rebind(once, 0, 0, nullptr); }, XCOLL_ERR_ARGUMENT, {"not persistent"}}});
    ranks::succeed(xcoll_wait(&once));
}

void test(Rank &rank) {
    mistakes::make_all(
        rank, {start_of_what_cannot_be_started, done_is_0_where_a_test_is_refused,
               a_list_with_the_same_request_twice_starts_nothing, start_after_the_communicator_was_freed,
               parts_that_a_request_does_not_have, a_refused_request_among_many_is_told_by_its_place_and_its_status,
               a_message_that_is_too_long_says_whose_it_was, sendrecv_with_buffers_that_overlap, rebinds});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 2 3
// timeout: 120
//
// A wait for a message that lasts too long says which message that is, what is known of it and what to look for: in
// every form, from one rank or any, sent or received, alone and in a group.
#include <functional>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int tag = 7;
constexpr size_t large = size_t{8} << 20;

struct Late {
    const char *how;
    std::function<xcoll_result_t(xcoll_comm_t)> call; // on rank 0
    std::string said;
};

xcoll_result_t finish(xcoll_request_t request, int blamed) {
    int done = 0;
    xcoll_status_t status;
    const xcoll_result_t result = xcoll_wait_for(&request, -1, &done, &status);
    ranks::check(status.rank == blamed, "the status of a message that is late blames somebody else");
    return result;
}

xcoll_result_t finish_by_tests(xcoll_request_t request) {
    int done = 0;
    xcoll_result_t result = XCOLL_SUCCESS;
    while (!done) {
        result = xcoll_test(&request, &done);
    }
    return result;
}

// The last rank is there and does nothing, the others look on.
void nothing_comes(const Rank &rank, const Late &late) {
    xcoll_comm_t comm = rank.open();
    rank.meet();
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_comm_set_timeout(comm, 300));
        ranks::check(late.call(comm) == XCOLL_ERR_TIMEOUT, late.how);
        ranks::expect_message({"rank 0 waited longer than 0.3 s in " + late.said, "XCOLL_TIMEOUT"});
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

void received(const Rank &rank) {
    int data = 0;
    const std::string from_peer =
        "recv(from rank 1, tag 7, up to 4 bytes): rank 1 is alive and has sent no such message";
    const std::string from_any = "recv(from any source, any tag, up to 4 bytes): nobody has sent such a message";
    const auto start = [&](xcoll_comm_t comm, int peer, int of) {
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_irecv(&data, 1, XCOLL_INT32, peer, of, comm, &request));
        return request;
    };
    const Late all[] = {
        {"recv", [&](xcoll_comm_t comm) { return xcoll_recv(&data, 1, XCOLL_INT32, 1, tag, comm); }, from_peer},
        {"recv from anybody",
         [&](xcoll_comm_t comm) { return xcoll_recv(&data, 1, XCOLL_INT32, XCOLL_ANY_SOURCE, XCOLL_ANY_TAG, comm); },
         from_any},
        {"irecv", [&](xcoll_comm_t comm) { return finish(start(comm, 1, tag), 1); }, from_peer},
        {"irecv from anybody",
         [&](xcoll_comm_t comm) { return finish(start(comm, XCOLL_ANY_SOURCE, XCOLL_ANY_TAG), XCOLL_UNDEFINED); },
         from_any},
        {"irecv, tested", [&](xcoll_comm_t comm) { return finish_by_tests(start(comm, 1, tag)); }, from_peer},
        // The second of two is waited for, and named.
        {"two irecvs",
         [&](xcoll_comm_t comm) {
             xcoll_request_t other = start(comm, 1, 1);
             const xcoll_result_t result = finish(start(comm, 1, tag), 1);
             ranks::succeed(xcoll_request_free(&other));
             return result;
         },
         from_peer},
        {"recv_enqueue behind an irecv",
         [&](xcoll_comm_t comm) {
             xcoll_request_t earlier = start(comm, 1, tag);
             const xcoll_result_t result = xcoll_recv_enqueue(&data, 1, XCOLL_INT32, 1, 1, comm, nullptr);
             ranks::succeed(xcoll_request_free(&earlier));
             return result;
         },
         from_peer},
        {"sendrecv",
         [&](xcoll_comm_t comm) { return xcoll_sendrecv(&data, 1, 1, 0, &data + 1, 0, 1, tag, XCOLL_INT32, comm); },
         "recv(from rank 1, tag 7, up to 0 bytes): rank 1 is alive and has sent no such message"},
    };
    for (const Late &late : all) {
        nothing_comes(rank, late);
    }
}

void sent(const Rank &rank) {
    const std::vector<char> data(large);
    const std::string said = "send(to rank 1, tag 7, 8388608 bytes): rank 1 is alive and has not called a receive";
    const Late all[] = {
        {"send", [&](xcoll_comm_t comm) { return xcoll_send(data.data(), large, XCOLL_INT8, 1, tag, comm); }, said},
        {"isend",
         [&](xcoll_comm_t comm) {
             xcoll_request_t request = XCOLL_REQUEST_NULL;
             ranks::succeed(xcoll_isend(data.data(), large, XCOLL_INT8, 1, tag, comm, &request));
             return finish(request, 1);
         },
         said},
    };
    for (const Late &late : all) {
        nothing_comes(rank, late);
    }
}

// The first stage waits for a message, and so does what comes after it.
void in_groups(const Rank &rank) {
    int data = 0;
    const std::string said = "recv(from rank 1, tag 7, up to 4 bytes): rank 1 is alive and has sent no such message";
    const auto group = [&](xcoll_comm_t comm, bool then) {
        ranks::succeed(xcoll_group_start());
        ranks::succeed(xcoll_recv(&data, 1, XCOLL_INT32, 1, tag, comm));
        if (then) {
            ranks::succeed(xcoll_group_then());
            ranks::succeed(xcoll_send(&data, 1, XCOLL_INT32, 1, 1, comm));
        }
    };
    const Late all[] = {
        {"group",
         [&](xcoll_comm_t comm) {
             group(comm, false);
             return xcoll_group_end();
         },
         said},
        {"part of a later stage",
         [&](xcoll_comm_t comm) {
             xcoll_request_t request = XCOLL_REQUEST_NULL;
             group(comm, true);
             ranks::succeed(xcoll_group_iend(&request));
             const xcoll_result_t result = xcoll_wait_part(request, 1);
             ranks::expect(XCOLL_ERR_TIMEOUT, xcoll_wait(&request));
             return result;
         },
         said},
    };
    for (const Late &late : all) {
        nothing_comes(rank, late);
    }
}

// It has another tag than the one that is waited for.
void a_message_that_nobody_asks_for_is_told_of(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    int data = 5;
    if (rank.rank() == 1) {
        ranks::succeed(xcoll_send(&data, 1, XCOLL_INT32, 0, tag + 1, comm));
    }
    rank.meet();
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_comm_set_timeout(comm, 300));
        ranks::expect(XCOLL_ERR_TIMEOUT, xcoll_recv(&data, 1, XCOLL_INT32, 1, tag, comm));
        ranks::expect_message({"tag 7", "rank 1 has sent one of 4 bytes with tag 8, which no receive has asked for"});
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

// Operations are named as before.
void an_operation_is_no_message(const Rank &rank) {
    xcoll_comm_t comm = rank.open();
    int data = 0;
    int other = 0;
    ranks::succeed(xcoll_sendrecv(&data, 1, rank.rank(), 0, &other, 1, rank.rank(), 0, XCOLL_INT32, comm));
    rank.meet();
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_comm_set_timeout(comm, 300));
        ranks::expect(XCOLL_ERR_TIMEOUT, xcoll_barrier(comm));
        ranks::expect_message({"operation 1: rank 1 has not entered it"});
    }
    rank.meet();
    ranks::succeed(xcoll_comm_free(&comm));
}

void test(Rank &rank) {
    received(rank);
    sent(rank);
    in_groups(rank);
    a_message_that_nobody_asks_for_is_told_of(rank);
    an_operation_is_no_message(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

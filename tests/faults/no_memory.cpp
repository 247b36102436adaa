// threads
// ranks: 1 2 3
// env: XCOLL_TIMEOUT=30
// timeout: 300
//
// One allocation of a call fails, the first, the second, and so on; then all from there on. Whatever is called: the
// rank gets an error that says so, its peers hear of it, what is left can be used as promised and be freed.
#include <functional>

#include "../failing_memory.h"
#include "../ranks/own_memory.h"
#include "first_error.h"

using failing::Which;
using ranks::Rank;
using Outcome = FirstError;

namespace {

constexpr size_t count = 6, much = 40'000;

// What a rank calls on a communicator. It frees all that it made.
struct Scene {
    const char *name;
    void (*call)(const Rank &, xcoll_comm_t, Outcome &);
};

void finish(Outcome &outcome, xcoll_request_t request) {
    outcome.note(xcoll_wait(&request));
    outcome.note(xcoll_request_free(&request));
}
// Peers are in a collective call already that this rank cannot take part in as it should.
void disagree(xcoll_comm_t comm, Outcome &outcome) {
    int nothing = 0;
    outcome.note(xcoll_bcast(&nothing, 1, XCOLL_INT32, 0, comm));
}

void allreduce(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    int data[count] = {};
    outcome.note(xcoll_allreduce(XCOLL_IN_PLACE, data, count, XCOLL_INT32, XCOLL_SUM, comm));
}
void allreduce_much(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    static thread_local float data[much];
    outcome.note(xcoll_allreduce(XCOLL_IN_PLACE, data, much, XCOLL_FLOAT32, XCOLL_SUM, comm));
}
void iallreduce(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    static thread_local float data[much];
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    outcome.note(xcoll_iallreduce(XCOLL_IN_PLACE, data, much, XCOLL_FLOAT32, XCOLL_SUM, comm, &request));
    finish(outcome, request);
}
void persistent_bcast(const Rank &rank, xcoll_comm_t comm, Outcome &outcome) {
    int data[count] = {};
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (outcome.note(xcoll_bcast_init(data, count, XCOLL_INT32, rank.size() - 1, comm, &request))) {
        outcome.note(xcoll_start(&request));
        finish(outcome, request);
    } else {
        disagree(comm, outcome);
    }
}

// Room for the parts of all ranks.
struct Parts {
    static constexpr size_t most_ranks = 8, each = 2, apart = 3;
    size_t counts[most_ranks] = {}, displs[most_ranks] = {};
    int send[most_ranks * apart] = {}, recv[most_ranks * apart] = {};
    Parts() {
        for (size_t p = 0; p < most_ranks; ++p) {
            counts[p] = each;
            displs[p] = apart * p;
        }
    }
};
void allgatherv(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    outcome.note(xcoll_allgatherv(p.send, Parts::each, p.recv, p.counts, p.displs, XCOLL_INT32, comm));
}
void alltoallv(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    outcome.note(xcoll_alltoallv(p.send, p.counts, p.displs, p.recv, p.counts, p.displs, XCOLL_INT32, comm));
}
void ialltoallv(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    outcome.note(xcoll_ialltoallv(p.send, p.counts, p.displs, p.recv, p.counts, p.displs, XCOLL_INT32, comm, &request));
    finish(outcome, request);
}
void alltoall_dyn(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    const uint64_t sendcounts[Parts::most_ranks] = {1, 2, 1, 2, 1, 2, 1, 2};
    uint64_t recvcounts[Parts::most_ranks] = {};
    outcome.note(xcoll_alltoall_dyn(p.send, sendcounts, p.recv, recvcounts, Parts::each, XCOLL_INT32, comm));
}
void reduce_scatterv(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    outcome.note(xcoll_reduce_scatterv(p.send, p.recv, p.counts, XCOLL_INT32, XCOLL_SUM, comm));
}
void scan(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    outcome.note(xcoll_scan(p.send, p.recv, count, XCOLL_INT32, XCOLL_SUM, comm));
}

bool start_group(xcoll_comm_t comm, Outcome &outcome) {
    if (outcome.note(xcoll_group_start())) {
        return true;
    }
    ranks::succeed(xcoll_comm_abort(comm, "a group had no memory"));
    return false;
}
void group(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    int more[4] = {};
    if (start_group(comm, outcome)) {
        outcome.note(xcoll_allgather(p.send, Parts::each, p.recv, XCOLL_INT32, comm));
        outcome.note(xcoll_bcast(more, 2, XCOLL_INT32, 0, comm));
        outcome.note(xcoll_allreduce(XCOLL_IN_PLACE, more + 2, 2, XCOLL_INT32, XCOLL_SUM, comm));
        const xcoll_result_t end = xcoll_group_end();
        ranks::check((outcome.result() == XCOLL_SUCCESS) || end != XCOLL_SUCCESS,
                     "a group ran without one of its calls");
        outcome.note(end);
    }
}
// The second one is remembered, and those after it are like it; so it is with groups of messages.
void like_groups(const Rank &rank, xcoll_comm_t comm, Outcome &outcome) {
    Parts parts[2];
    for (int turn = 0; turn < 4 && outcome.result() == XCOLL_SUCCESS; ++turn) {
        Parts &p = parts[turn % 2];
        if (start_group(comm, outcome)) {
            outcome.note(xcoll_allgather(p.send, Parts::each, p.recv, XCOLL_INT32, comm));
            outcome.note(xcoll_bcast(p.send, Parts::each, XCOLL_INT32, 0, comm));
            outcome.note(xcoll_group_end());
        }
        if (outcome.result() == XCOLL_SUCCESS && start_group(comm, outcome)) {
            const int ranks = rank.size(), next = (rank.rank() + 1) % ranks, last = (rank.rank() + ranks - 1) % ranks;
            outcome.note(xcoll_send(p.send, Parts::each, XCOLL_INT32, next, 0, comm));
            outcome.note(xcoll_recv(p.recv, Parts::each, XCOLL_INT32, last, 0, comm));
            outcome.note(xcoll_group_end());
        }
    }
}
void group_of_requests(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    int more[2] = {};
    xcoll_request_t requests[2] = {};
    if (start_group(comm, outcome)) {
        outcome.note(xcoll_iallgather(p.send, Parts::each, p.recv, XCOLL_INT32, comm, &requests[0]));
        outcome.note(xcoll_group_then());
        outcome.note(xcoll_iallreduce(XCOLL_IN_PLACE, more, 2, XCOLL_INT32, XCOLL_SUM, comm, &requests[1]));
        outcome.note(xcoll_group_end());
        outcome.note(xcoll_waitall(2, requests));
        outcome.note(xcoll_request_free(&requests[0]));
        outcome.note(xcoll_request_free(&requests[1]));
    }
}
void persistent_group(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    Parts p;
    int more[2] = {};
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (start_group(comm, outcome)) {
        outcome.note(xcoll_allgather(p.send, Parts::each, p.recv, XCOLL_INT32, comm));
        outcome.note(xcoll_bcast(more, 2, XCOLL_INT32, 0, comm));
        if (outcome.note(xcoll_group_end_init(&request))) {
            outcome.note(xcoll_start(&request));
            finish(outcome, request);
        }
    }
}

void count_calls(void *context, const xcoll_status_t *) {
    ++*static_cast<int *>(context);
}
void told(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    int data[count] = {}, calls = 0;
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    if (outcome.note(xcoll_ibcast(data, count, XCOLL_INT32, 0, comm, &request))) {
        const bool asked = outcome.note(xcoll_request_on_done(request, count_calls, &calls));
        finish(outcome, request);
        ranks::check(calls == asked, "who asked to be told was not told once");
    }
}

// There and back between rank 0 and the last one.
void messages(const Rank &rank, xcoll_comm_t comm, Outcome &outcome) {
    static thread_local char data[much];
    const int last = rank.size() - 1, peer = rank.rank() == 0 ? last : 0;
    const auto send = [&] { return outcome.note(xcoll_send(data, much, XCOLL_INT8, peer, 1, comm)); };
    const auto receive = [&] { return outcome.note(xcoll_recv(data, much, XCOLL_INT8, peer, 1, comm)); };
    if (rank.size() > 1 && rank.rank() == 0) {
        send() && receive();
    } else if (rank.size() > 1 && rank.rank() == last) {
        receive() && send();
    }
    if (outcome.result() != XCOLL_SUCCESS) {
        ranks::succeed(xcoll_comm_abort(comm, "a message had no memory")); // its peer knows nothing of it
    }
}

// With the next rank, some of which wait for it to receive.
void group_of_messages(const Rank &rank, xcoll_comm_t comm, Outcome &outcome) {
    static thread_local char out[much], in[much];
    const int next = (rank.rank() + 1) % rank.size(), previous = (rank.rank() + rank.size() - 1) % rank.size();
    if (!start_group(comm, outcome)) {
        return;
    }
    for (const size_t bytes : {count, much}) {
        outcome.note(xcoll_recv(in, bytes, XCOLL_INT8, previous, 1, comm));
        outcome.note(xcoll_send(out, bytes, XCOLL_INT8, next, 1, comm));
    }
    outcome.note(xcoll_group_end());
    if (outcome.result() != XCOLL_SUCCESS) {
        ranks::succeed(xcoll_comm_abort(comm, "a message of a group had no memory"));
    }
}

void split_with(xcoll_comm_t comm, const xcoll_comm_config_t *config, Outcome &outcome) {
    xcoll_comm_t child = XCOLL_COMM_NULL;
    const bool made = outcome.note(xcoll_comm_split_config(comm, 0, 0, config, &child));
    ranks::check((child != XCOLL_COMM_NULL) == made, "a communicator and an error");
    outcome.note(xcoll_comm_free(&child));
}
void split(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    split_with(comm, nullptr, outcome);
}
void split_as_told(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    xcoll_comm_config_t config;
    ranks::succeed(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = "ALLREDUCE=ring;GROUPS=none";
    config.name = "a name that is longer than what a string has room for by itself";
    split_with(comm, &config, outcome);
}

void typed(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    double data[64] = {};
    const size_t counts[] = {1, 2};
    const ptrdiff_t displs[] = {0, 3};
    xcoll_dtype_t column = 0, ragged = 0, wide = 0;
    constexpr size_t wide_bytes = 128;
    outcome.note(xcoll_type_vector(2, 1, 3, XCOLL_FLOAT64, &column));
    outcome.note(xcoll_type_indexed(2, counts, displs, XCOLL_FLOAT64, &ragged));
    outcome.note(xcoll_type_resized(column, wide_bytes, &wide));
    if (column && ragged && wide) {
        outcome.note(xcoll_bcast(data, 2, wide, 0, comm));
    } else {
        disagree(comm, outcome);
    }
    for (xcoll_dtype_t *type : {&column, &ragged, &wide}) {
        ranks::succeed(xcoll_type_free(type));
    }
}

xcoll_result_t add(const void *in, void *inout, size_t n, xcoll_dtype_t, void *) {
    for (size_t i = 0; i < n; ++i) {
        static_cast<int *>(inout)[i] += static_cast<const int *>(in)[i];
    }
    return XCOLL_SUCCESS;
}
void count_end(void *context) {
    ++*static_cast<int *>(context);
}
void own_operator(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    int data[count] = {}, ends = 0;
    xcoll_op_t op = 0;
    const char *name = "a name that is longer than what a string has room for by itself";
    if (outcome.note(xcoll_op_create(add, &ends, count_end, name, 0, &op))) {
        outcome.note(xcoll_allreduce(XCOLL_IN_PLACE, data, count, XCOLL_INT32, op, comm));
        ranks::succeed(xcoll_op_free(&op));
        ranks::check(ends == 1, "an operator did not end its context once");
    } else {
        ranks::check(ends == 0, "an operator that was not made ended its context");
        disagree(comm, outcome);
    }
}

void memory(const Rank &rank, xcoll_comm_t comm, Outcome &outcome) {
    void *mine = nullptr, *peer = nullptr;
    char own[64];
    if (outcome.note(xcoll_mem_alloc(comm, much, &mine))) {
        outcome.note(xcoll_mem_peer(comm, mine, rank.size() - 1, &peer));
        ranks::succeed(xcoll_mem_free(comm, mine));
    }
    if (outcome.note(xcoll_mem_register(comm, own, sizeof own, 0))) {
        ranks::succeed(xcoll_mem_deregister(comm, own));
    }
}

void described(const Rank &, xcoll_comm_t comm, Outcome &outcome) {
    static thread_local char text[size_t{1} << 16];
    size_t room = sizeof text;
    outcome.note(xcoll_comm_describe(comm, text, &room));
}

const Scene scenes[] = {
    {"allreduce", allreduce},
    {"allreduce of much", allreduce_much},
    {"iallreduce", iallreduce},
    {"bcast_init", persistent_bcast},
    {"allgatherv", allgatherv},
    {"alltoallv", alltoallv},
    {"ialltoallv", ialltoallv},
    {"alltoall_dyn", alltoall_dyn},
    {"reduce_scatterv", reduce_scatterv},
    {"scan", scan},
    {"a group", group},
    {"like groups", like_groups},
    {"a group of requests", group_of_requests},
    {"a persistent group", persistent_group},
    {"request_on_done", told},
    {"messages", messages},
    {"a group of messages", group_of_messages},
    {"split", split},
    {"split_config", split_as_told},
    {"types", typed},
    {"an operator", own_operator},
    {"memory", memory},
    {"describe", described},
};

// A case: what is called, and which allocation of this rank fails.
struct Case {
    const Scene *scene;
    Which which;
    uint64_t n;
    int victim;
    std::string text() const {
        return std::string(scene->name) + ", allocation " + std::to_string(n) +
               (which == Which::one ? "" : " and all after it") + " of rank " + std::to_string(victim) + ": ";
    }
};

bool is_usable(xcoll_comm_t comm) {
    xcoll_result_t error = XCOLL_ERR_INTERNAL;
    ranks::succeed(xcoll_comm_get_async_error(comm, &error));
    return error == XCOLL_SUCCESS;
}

// What a communicator is good for afterwards. `failed`: whether the victim's is in a fatal error.
void check_afterwards(const Case &now, const Rank &rank, xcoll_comm_t comm, bool failed) {
    int one = 1;
    const xcoll_result_t result = xcoll_allreduce(XCOLL_IN_PLACE, &one, 1, XCOLL_INT32, XCOLL_SUM, comm);
    if (failed ? result == XCOLL_SUCCESS || result == XCOLL_ERR_TIMEOUT
               : result != XCOLL_SUCCESS || one != rank.size()) {
        ranks::wrong(now.text() + "afterwards " + xcoll_error_name(result) + ": " + xcoll_last_error());
    }
}

// False if nothing failed: the calls ask for less memory.
bool run(const Case &now, const Rank &rank, xcoll_comm_t &comm) {
    std::atomic<uint64_t> &refused = rank.shared().numbers[0], &failed = rank.shared().numbers[1];
    Outcome outcome;
    rank.meet();
    if (rank.rank() == now.victim) {
        {
            const failing::Memory memory(now.which, now.n);
            now.scene->call(rank, comm, outcome);
        }
        refused = failing::refused();
        failed = !is_usable(comm);
        if (outcome.result() != XCOLL_SUCCESS && outcome.text().find("memory") == std::string::npos) {
            ranks::wrong(now.text() + "it says " + outcome.text());
        }
    } else {
        now.scene->call(rank, comm, outcome);
    }
    rank.meet();
    const bool is_over = refused == 0, has_failed = failed != 0;
    if (outcome.result() == XCOLL_ERR_TIMEOUT || (is_over && outcome.result() != XCOLL_SUCCESS)) {
        ranks::wrong(now.text() + outcome.text());
    }
    check_afterwards(now, rank, comm, has_failed);
    if (has_failed) {
        ranks::succeed(xcoll_comm_free(&comm));
        comm = rank.open();
    }
    return !is_over;
}

void test(Rank &rank) {
    // Of three the one in the middle: the others are as with two.
    const int first = rank.size() == 3 ? 1 : 0, last = std::min(rank.size() - 1, 1);
    xcoll_comm_t comm = rank.open();
    for (const Scene &scene : scenes) {
        for (int victim = first; victim <= last; ++victim) {
            for (const Which which : {Which::one, Which::all_from}) {
                for (uint64_t n = 1; run({&scene, which, n, victim}, rank, comm); ++n) {
                }
            }
        }
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

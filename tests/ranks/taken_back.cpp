// ranks: 2 3 5 8
//
// A rank that gives up has its buffers back when its call returns, and writes there. No peer takes that for what was
// sent, whether it comes later or is reading meanwhile, and wherever the buffer lies.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "lent_bytes.h"

using ranks::Rank;

namespace {

constexpr char sent = 1, written_later = 9;
constexpr size_t bytes = 200'003; // of each part: more than XCOLL_LEND, not a multiple of anything

struct Call {
    const char *name;
    std::function<xcoll_result_t(char *send, char *recv, xcoll_comm_t comm, xcoll_request_t *request)> start;
};

std::vector<Call> calls(int size) {
    constexpr auto type = XCOLL_UINT8;
    const std::vector<size_t> counts(static_cast<size_t>(size), bytes);
    return {
        {"bcast", [](char *s, char *, xcoll_comm_t c, auto *q) { return xcoll_ibcast(s, bytes, type, 0, c, q); }},
        {"scatter",
         [](char *s, char *r, xcoll_comm_t c, auto *q) { return xcoll_iscatter(s, r, bytes, type, 0, c, q); }},
        {"gather",
         [=](char *s, char *r, xcoll_comm_t c, auto *q) { return xcoll_igather(s, bytes, r, type, size - 1, c, q); }},
        {"allgather",
         [](char *s, char *r, xcoll_comm_t c, auto *q) { return xcoll_iallgather(s, bytes, r, type, c, q); }},
        {"allgatherv", [=](char *s, char *r, xcoll_comm_t c,
                           auto *q) { return xcoll_iallgatherv(s, bytes, r, counts.data(), nullptr, type, c, q); }},
        {"alltoall",
         [](char *s, char *r, xcoll_comm_t c, auto *q) { return xcoll_ialltoall(s, r, bytes, type, c, q); }},
        {"allreduce", [](char *s, char *r, xcoll_comm_t c,
                         auto *q) { return xcoll_iallreduce(s, r, bytes, type, XCOLL_MAX, c, q); }},
        {"group",
         [](char *s, char *r, xcoll_comm_t c, auto *q) {
             ranks::succeed(xcoll_group_start());
             ranks::succeed(xcoll_allgather(s, bytes / 2, r, type, c));
             ranks::succeed(xcoll_bcast(s + bytes / 2, bytes / 2, type, 0, c));
             return xcoll_group_iend(q);
         }},
        {"message",
         [=](char *s, char *r, xcoll_comm_t c, auto *q) {
             int rank = 0;
             ranks::succeed(xcoll_comm_rank(c, &rank));
             ranks::succeed(xcoll_group_start());
             ranks::succeed(xcoll_send(s, bytes, type, (rank + 1) % size, 0, c));
             ranks::succeed(xcoll_recv(r, bytes, type, (rank + size - 1) % size, 0, c));
             return xcoll_group_iend(q);
         }},
    };
}

struct Buffers {
    char *send, *recv;
    size_t all; // bytes of each
};

// When the others come: after rank 0 has written there, or at once.
enum class Others { come_later, read_meanwhile };

void give_up(const Rank &rank, xcoll_comm_t world, const Buffers &buffers, const Call &call, Others others, int pause) {
    std::fill_n(buffers.send, buffers.all, sent);
    std::fill_n(buffers.recv, buffers.all, sent);
    xcoll_comm_t comm = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_dup(world, &comm));
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    xcoll_result_t result = XCOLL_SUCCESS;
    if (rank.rank() == 0) {
        result = call.start(buffers.send, buffers.recv, comm, &request);
        for (int done = 0; pause > 0 && !done && result == XCOLL_SUCCESS; --pause) {
            result = xcoll_test(&request, &done);
        }
        ranks::succeed(xcoll_comm_abort(comm, "enough"));
        if (result == XCOLL_SUCCESS) {
            result = xcoll_wait(&request);
        }
        std::fill_n(buffers.send, buffers.all, written_later);
        ranks::succeed(xcoll_barrier(world));
    } else {
        if (others == Others::come_later) {
            ranks::succeed(xcoll_barrier(world));
        }
        result = call.start(buffers.send, buffers.recv, comm, &request);
        if (result == XCOLL_SUCCESS) {
            result = xcoll_wait(&request);
        }
        const auto is_wrong = [](const char *buffer, size_t all) {
            return std::find(buffer, buffer + all, written_later) != buffer + all;
        };
        if (result == XCOLL_SUCCESS && (is_wrong(buffers.recv, buffers.all) || is_wrong(buffers.send, buffers.all))) {
            ranks::wrong(std::string(call.name) + " succeeded with what rank 0 wrote when it had given up");
        }
        if (others == Others::read_meanwhile) {
            ranks::succeed(xcoll_barrier(world));
        }
    }
    ranks::check(result == XCOLL_SUCCESS || result == XCOLL_ERR_ABORTED, "it succeeds, or has been aborted");
    ranks::succeed(xcoll_comm_free(&comm));
}

void nobody_takes_it_for_what_was_sent(const Rank &rank, xcoll_comm_t world, const Buffers &buffers) {
    for (const Call &call : calls(rank.size())) {
        give_up(rank, world, buffers, call, Others::come_later, 0);
        for (const int pause : {0, 1, 10, 100}) {
            give_up(rank, world, buffers, call, Others::read_meanwhile, pause);
        }
    }
}

void in_the_heap(const Rank &rank) {
    xcoll_comm_t world = rank.open();
    const size_t all = bytes * static_cast<size_t>(rank.size());
    void *send = nullptr, *recv = nullptr;
    ranks::succeed(xcoll_mem_alloc(world, all, &send));
    ranks::succeed(xcoll_mem_alloc(world, all, &recv));
    nobody_takes_it_for_what_was_sent(rank, world, {static_cast<char *>(send), static_cast<char *>(recv), all});
    ranks::succeed(xcoll_mem_free(world, send));
    ranks::succeed(xcoll_mem_free(world, recv));
    ranks::succeed(xcoll_comm_free(&world));
}

// Where the kernel copies it, if it does.
void in_private_memory(const Rank &rank) {
    xcoll_comm_t world = rank.open("CMA=on");
    if (lent_bytes::described(world).find("\"why_not\": null") == std::string::npos) {
        ranks::succeed(xcoll_comm_free(&world));
        world = rank.open("CMA=off");
    }
    std::vector<char> send(bytes * static_cast<size_t>(rank.size())), recv(send.size());
    nobody_takes_it_for_what_was_sent(rank, world, {send.data(), recv.data(), send.size()});
    ranks::succeed(xcoll_comm_free(&world));
}

void test(Rank &rank) {
    in_the_heap(rank);
    in_private_memory(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 2 3 5 8
//
// A persistent call in place follows its buffer, however that was told, also on a rank that gives to the result and
// gets none of it.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "ranks.h"

using ranks::Rank;

namespace {

constexpr size_t part = 3;

// Starts it from one buffer and then from another one; returns what is in the second afterwards.
std::vector<int> run_twice(xcoll_request_t request, std::vector<int> &first, const std::vector<int> &input) {
    std::vector<int> second(input);
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    std::fill(first.begin(), first.end(), -1);
    ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, second.data()));
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
    return second;
}

void where_rank_0_gets_no_part_of_a_reduce_scatterv(const Rank &rank, xcoll_comm_t comm) {
    std::vector<size_t> counts(static_cast<size_t>(rank.size()), part);
    counts[0] = 0;
    std::vector<int> first(part * counts.size(), rank.rank() + 1);
    const std::vector<int> input(first);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_reduce_scatterv_init(XCOLL_IN_PLACE, first.data(), counts.data(), XCOLL_INT32, XCOLL_SUM, comm,
                                              &request));
    const std::vector<int> got = run_twice(request, first, input);
    for (size_t i = 0; i < counts[static_cast<size_t>(rank.rank())]; ++i) {
        ranks::check(got[i] == rank.size() * (rank.size() + 1) / 2, "a sum in which a rank's input is not where it is");
    }
}

void where_rank_0_gets_nothing_of_an_exscan(const Rank &rank, xcoll_comm_t comm) {
    std::vector<int> first(part, rank.rank() + 1);
    const std::vector<int> input(first);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_exscan_init(XCOLL_IN_PLACE, first.data(), part, XCOLL_INT32, XCOLL_SUM, comm, &request));
    const std::vector<int> got = run_twice(request, first, input);
    for (size_t i = 0; i < part && rank.rank() > 0; ++i) {
        ranks::check(got[i] == rank.rank() * (rank.rank() + 1) / 2, "a sum in which a rank's input is not where it is");
    }
}

// Where the addresses are given that XCOLL_IN_PLACE stands for.
struct Call {
    const char *name;
    int slot; // of the buffer in which the other one lies
    std::function<xcoll_result_t(bool by_address, int *buffer, xcoll_request_t *request)> init;
};

std::vector<Call> calls(const Rank &rank, xcoll_comm_t comm, const std::vector<size_t> &counts) {
    const auto me = static_cast<size_t>(rank.rank());
    const int root = rank.size() - 1;
    const bool is_root = rank.rank() == root;
    const auto sent = [](bool by_address, int *buffer) -> const void * { return by_address ? buffer : XCOLL_IN_PLACE; };
    const auto own = [me](bool by_address, int *buffer) { return by_address ? buffer + me * part : XCOLL_IN_PLACE; };
    constexpr auto type = XCOLL_INT32;
    return {
        {"allreduce", XCOLL_SLOT_RECV,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_allreduce_init(sent(by_address, b), b, part, type, XCOLL_SUM, comm, request);
         }},
        {"reduce_scatterv", XCOLL_SLOT_SEND,
         [=, &counts](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_reduce_scatterv_init(sent(by_address, b), b, counts.data(), type, XCOLL_SUM, comm, request);
         }},
        {"exscan", XCOLL_SLOT_SEND,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_exscan_init(sent(by_address, b), b, part, type, XCOLL_SUM, comm, request);
         }},
        {"alltoall", XCOLL_SLOT_RECV,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_alltoall_init(sent(by_address, b), b, part, type, comm, request);
         }},
        {"allgather", XCOLL_SLOT_RECV,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_allgather_init(own(by_address, b), part, b, type, comm, request);
         }},
        {"gather", is_root ? XCOLL_SLOT_RECV : XCOLL_SLOT_SEND,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_gather_init(is_root ? sent(by_address, b) : b, part, b, type, root, comm, request);
         }},
        {"scatter", is_root ? XCOLL_SLOT_SEND : XCOLL_SLOT_RECV,
         [=](bool by_address, int *b, xcoll_request_t *request) {
             return xcoll_scatter_init(b, is_root && !by_address ? XCOLL_IN_PLACE : b, part, type, root, comm, request);
         }},
    };
}

void by_its_addresses(const Rank &rank, xcoll_comm_t comm) {
    std::vector<size_t> counts(static_cast<size_t>(rank.size()), part);
    counts[0] = 0;
    for (const Call &call : calls(rank, comm, counts)) {
        std::vector<int> first(part * counts.size());
        for (size_t i = 0; i < first.size(); ++i) {
            first[i] = 100 * (rank.rank() + 1) + static_cast<int>(i);
        }
        const std::vector<int> input(first);
        std::vector<int> expected(first), second(first);
        xcoll_request_t request = XCOLL_REQUEST_NULL;
        ranks::succeed(call.init(false, expected.data(), &request));
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::succeed(xcoll_request_free(&request));

        ranks::succeed(call.init(true, first.data(), &request));
        std::fill(first.begin(), first.end(), -1);
        ranks::succeed(xcoll_request_rebind(request, 0, call.slot, second.data()));
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        ranks::succeed(xcoll_request_free(&request));
        if (second != expected) {
            ranks::wrong(std::string(call.name) + " in place by its addresses did not follow its buffer");
        }
        if (std::count(first.begin(), first.end(), -1) != static_cast<ptrdiff_t>(first.size())) {
            ranks::wrong(std::string(call.name) + " wrote to the buffer that it had before");
        }
    }
}

// Then the call has two buffers.
void an_own_part_moves_out_alone(const Rank &rank, xcoll_comm_t comm) {
    std::vector<int> all(part * static_cast<size_t>(rank.size()), -1), apart(part, rank.rank() + 1);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    int *const own = all.data() + part * static_cast<size_t>(rank.rank());
    if (own == all.data()) {
        std::copy(apart.begin(), apart.end(), own); // where both addresses are one they stay together
    }
    ranks::succeed(xcoll_allgather_init(own, part, all.data(), XCOLL_INT32, comm, &request));
    if (own != all.data()) {
        ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_SEND, apart.data()));
    }
    ranks::succeed(xcoll_start(&request));
    ranks::succeed(xcoll_wait(&request));
    ranks::succeed(xcoll_request_free(&request));
    for (size_t i = 0; i < all.size(); ++i) {
        ranks::check(all[i] == static_cast<int>(i / part) + 1, "an own part that was moved out is not what was sent");
    }
}

// They meet on the way.
void two_buffers_are_swapped(const Rank &rank, xcoll_comm_t comm) {
    int expected = rank.size() * (rank.size() + 1) / 2;
    std::vector<int> one(part, rank.rank() + 1), other(part);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_allreduce_init(one.data(), other.data(), part, XCOLL_INT32, XCOLL_SUM, comm, &request));
    for (int turn = 0; turn < 3; ++turn) {
        ranks::succeed(xcoll_start(&request));
        ranks::succeed(xcoll_wait(&request));
        expected = turn == 0 ? expected : expected * rank.size();
        const std::vector<int> &sums = turn % 2 ? one : other;
        ranks::check(sums[0] == expected && sums[part - 1] == expected, "a sum is not where it was wanted");
        ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_SEND, turn % 2 ? one.data() : other.data()));
        ranks::succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, turn % 2 ? other.data() : one.data()));
    }
    ranks::succeed(xcoll_request_free(&request));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    by_its_addresses(rank, comm);
    an_own_part_moves_out_alone(rank, comm);
    two_buffers_are_swapped(rank, comm);
    where_rank_0_gets_no_part_of_a_reduce_scatterv(rank, comm);
    where_rank_0_gets_nothing_of_an_exscan(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 2 3 5 8
//
// A persistent call in place follows its buffer, also on a rank that gives to the result and gets none of it.
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

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    where_rank_0_gets_no_part_of_a_reduce_scatterv(rank, comm);
    where_rank_0_gets_nothing_of_an_exscan(rank, comm);
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

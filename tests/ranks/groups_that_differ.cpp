// ranks: 2 3 5 8
//
// Ranks whose groups do not match may make more operations of them, or fewer. What they call next is never taken for
// another call of it, and after a few calls the ranks are in step again, without any call of the program's own.
#include <chrono>
#include <thread>
#include <vector>

#include "differing_groups.h"

using namespace ranks::differing;
using ranks::Rank;

namespace {

void joined_calls_against_single_ones_cost_no_other_call(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sums[2] = {};
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allreduce(&one, &sums[0], 1, XCOLL_INT32, XCOLL_SUM, comm));
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_bcast(&sums[1], 1, XCOLL_INT32, 0, comm));
    } else {
        ranks::succeed(xcoll_allreduce(&one, &sums[1], 1, XCOLL_INT32, XCOLL_SUM, comm));
    }
    ranks::expect(XCOLL_ERR_MISMATCH, xcoll_group_end());
    ranks::expect_in_step(rank, comm);
}

// Of a call that is refused its rank does not know whether the others join it with those around it. What comes behind
// the group is right on all ranks, whoever comes first.
void a_refused_call_costs_no_other_call(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t small = 3, large = 50'000;
    constexpr xcoll_dtype_t no_type = 7, type = XCOLL_INT32;
    const std::vector<int> mine(large, 1);
    std::vector<int> sums(large);
    for (unsigned what = 0; what < 32; ++what) { // bits: which of three calls are large, and who is late
        for (size_t refused = 0; refused < 3; ++refused) {
            if ((what & 8) != 0 && (rank.rank() == 1) == ((what & 16) != 0)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
            ranks::succeed(xcoll_group_start());
            for (size_t k = 0; k < 3; ++k) {
                const bool is_bad = k == refused && rank.rank() == 1;
                const size_t count = (what >> k & 1) != 0 ? large : small;
                ranks::expect(
                    is_bad ? XCOLL_ERR_TYPE : XCOLL_SUCCESS,
                    xcoll_allreduce(mine.data(), sums.data(), count, is_bad ? no_type : type, XCOLL_SUM, comm));
            }
            ranks::expect(rank.rank() == 1 ? XCOLL_ERR_TYPE : XCOLL_ERR_MISMATCH, xcoll_group_end());
            ranks::expect_in_step(rank, comm);
        }
    }
}

// The reductions go to the rank that refuses one of them, so none of the others waits for it, then or in what follows.
void a_refused_call_costs_nothing_where_nobody_waits(const Rank &rank, xcoll_comm_t comm) {
    constexpr xcoll_dtype_t no_type = 7;
    constexpr xcoll_op_t no_operator = 7;
    constexpr int bcasts = 100; // more than a rank can be ahead
    const int last = rank.size() - 1;
    const std::vector<int> mine(2'100, 1);
    std::vector<int> sums(mine.size());
    for (const size_t calls : {size_t{1}, size_t{2}, size_t{3}, size_t{200}, size_t{1025}}) {
        for (int how = 0; how < 4; ++how) {
            ranks::succeed(xcoll_group_start());
            for (size_t k = 0; k < calls; ++k) {
                const bool is_bad = rank.rank() == last && k == calls / 2;
                const size_t count = k % 7 == 3 ? mine.size() : 1; // of which some are too large to be joined
                const void *send = is_bad && how == 2 ? nullptr : mine.data();
                const xcoll_dtype_t type = is_bad && how == 0 ? no_type : xcoll_dtype_t{XCOLL_INT32};
                const xcoll_op_t op = is_bad && how == 1 ? no_operator : xcoll_op_t{XCOLL_SUM};
                const int root = is_bad && how == 3 ? -1 : last;
                const xcoll_result_t result = xcoll_reduce(send, sums.data(), count, type, op, root, comm);
                ranks::check((result != XCOLL_SUCCESS) == is_bad, "a call was not refused, or another one was");
            }
            const xcoll_result_t result = xcoll_group_end();
            if (rank.rank() == last) {
                ranks::check(result != XCOLL_SUCCESS, "a group was not refused");
            } else {
                expect_mismatch_at_most(result); // who waits for large ones
            }
            for (int k = 0; k < bcasts; ++k) {
                int value = rank.rank() == 0 ? k : -1;
                ranks::succeed(xcoll_bcast(&value, 1, XCOLL_INT32, 0, comm));
                ranks::check(value == k, "a call was taken for another one");
            }
        }
    }
}

// Those who wait for it are not so far behind that they cannot tell.
void a_refused_call_of_very_many_costs_no_other_call(const Rank &rank, xcoll_comm_t comm) {
    const int one = 1;
    std::vector<int> sums(1025);
    for (const size_t calls : {size_t{513}, sums.size()}) {
        const auto record = [&](bool is_bad) {
            ranks::succeed(xcoll_group_start());
            for (size_t k = 0; k < calls; ++k) {
                const xcoll_dtype_t type = is_bad && k == 1 ? 7 : xcoll_dtype_t{XCOLL_INT32};
                ranks::expect(type == XCOLL_INT32 ? XCOLL_SUCCESS : XCOLL_ERR_TYPE,
                              xcoll_allreduce(&one, &sums[k], 1, type, XCOLL_SUM, comm));
            }
        };
        record(rank.rank() == 0);
        ranks::expect(rank.rank() == 0 ? XCOLL_ERR_TYPE : XCOLL_ERR_MISMATCH, xcoll_group_end());
        ranks::expect_in_step(rank, comm);
        record(false);
        ranks::succeed(xcoll_group_end());
        ranks::check(sums[calls - 1] == rank.size(), "a sum is wrong");
    }
}

// All of them spare the same number of numbers: nobody may think that it is behind.
void groups_that_are_alike_keep_their_order(const Rank &rank, xcoll_comm_t comm) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const auto ending = static_cast<Ending>(random() % 3);
        run(Group(random), ending, comm);
        ranks::expect_in_step(rank, comm);
    }
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const auto part :
         {joined_calls_against_single_ones_cost_no_other_call, a_refused_call_costs_no_other_call,
          a_refused_call_costs_nothing_where_nobody_waits, a_refused_call_of_very_many_costs_no_other_call,
          groups_that_are_alike_keep_their_order, groups_that_differ_leave_the_ranks_in_step}) {
        part(rank, comm);
        ranks::expect_in_step(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

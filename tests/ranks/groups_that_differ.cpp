// ranks: 2 3 5 8
//
// Ranks whose groups do not match may make more operations of them, or fewer. What they call next is never taken for
// another call of it, and after a few calls the ranks are in step again, without any call of the program's own.
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
    for (const auto part : {joined_calls_against_single_ones_cost_no_other_call, groups_that_are_alike_keep_their_order,
                            groups_that_differ_leave_the_ranks_in_step}) {
        part(rank, comm);
        ranks::expect_in_step(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

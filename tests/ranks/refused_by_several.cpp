// ranks: 2 3 5
//
// Ranks that make the same calls in a group, of which several refuse one each, and not the same: what comes behind the
// group is right on all of them, whatever it is made of, however it ends, and in whichever stage it failed.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "in_step.h"
#include "ranks.h"

using ranks::Rank;

namespace {

constexpr int nowhere = -1;
constexpr xcoll_op_t sum = XCOLL_SUM, no_op = 3;

// R an allreduce, G an all-gather, B a barrier, with which nothing can be wrong.
xcoll_result_t call(char which, bool is_wrong, xcoll_comm_t comm, std::vector<int64_t> &out) {
    static constexpr int64_t mine = 1;
    switch (which) {
    case 'R':
        return xcoll_allreduce(&mine, out.data(), 1, XCOLL_INT64, is_wrong ? no_op : sum, comm);
    case 'G':
        return xcoll_allgather(is_wrong ? nullptr : &mine, 1, out.data(), XCOLL_INT64, comm);
    default:
        return xcoll_barrier(comm);
    }
}

// Every second rank by a request.
xcoll_result_t end(const Rank &rank) {
    if (rank.rank() % 2 == 0) {
        return xcoll_group_end();
    }
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const xcoll_result_t begun = xcoll_group_iend(&request);
    return begun == XCOLL_SUCCESS ? xcoll_wait(&request) : begun;
}

// `wrong`: the place of the call that this rank makes wrong. A bar begins a stage.
void group(const std::string &calls, int wrong, const Rank &rank, xcoll_comm_t comm) {
    std::vector<std::vector<int64_t>> out(calls.size(), std::vector<int64_t>(static_cast<size_t>(rank.size())));
    bool is_refused = false;
    ranks::succeed(xcoll_group_start());
    for (size_t i = 0; i < calls.size(); ++i) {
        if (calls[i] == '|') {
            ranks::succeed(xcoll_group_then());
            continue;
        }
        const bool refuses = static_cast<int>(i) == wrong && calls[i] != 'B';
        ranks::check((call(calls[i], refuses, comm, out[i]) != XCOLL_SUCCESS) == refuses, "wrongly refused");
        is_refused |= refuses;
    }
    const xcoll_result_t result = end(rank);
    ranks::check(is_refused ? result != XCOLL_SUCCESS : result == XCOLL_SUCCESS || result == XCOLL_ERR_MISMATCH,
                 "the end of a group tells something else");
    ranks::expect_in_step(rank, comm);
}

void all_short_groups_of_two_who_refuse(const Rank &rank, xcoll_comm_t comm) {
    constexpr char kinds[] = {'R', 'G', 'B'};
    for (int which = 0; which < 27; ++which) {
        const std::string calls{kinds[which % 3], kinds[which / 3 % 3], kinds[which / 9]};
        for (int places = 0; places < 9; ++places) {
            const int last = rank.size() - 1;
            group(calls, rank.rank() == 0 ? places % 3 : rank.rank() == last ? places / 3 : nowhere, rank, comm);
        }
    }
}

void any_ranks_refuse_any_call_of_any_stage(const Rank &rank, xcoll_comm_t comm) {
    constexpr int groups = 300;
    constexpr char kinds[] = {'R', 'R', 'G', 'B', '|'};
    for (unsigned seed = 0; seed < groups; ++seed) {
        std::mt19937 same(seed), own(seed * 17 + static_cast<unsigned>(rank.rank()));
        std::string calls(2 + same() % 9, 'R');
        for (char &each : calls) {
            each = kinds[same() % sizeof kinds];
        }
        calls.front() = 'R';
        group(calls, own() % 2 == 0 ? static_cast<int>(own() % calls.size()) : nowhere, rank, comm);
    }
}

// The rank that refuses knows nothing of the stage before; of those who do, none waits in the stage behind it.
void behind_a_message_that_does_not_come(const Rank &rank, xcoll_comm_t comm) {
    int64_t one = 1, sums[2] = {};
    ranks::succeed(xcoll_group_start());
    if (rank.rank() == 0) {
        ranks::succeed(xcoll_send(&one, 1, XCOLL_INT64, 1, 0, comm));
    } else if (rank.rank() == 1) {
        ranks::succeed(xcoll_recv(&one, 1, XCOLL_INT64, 0, 0, comm));
    }
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_allreduce(&one, &sums[0], 1, XCOLL_INT64, XCOLL_SUM, comm));
    const bool refuses = rank.rank() == 0;
    ranks::expect(refuses ? XCOLL_ERR_OP : XCOLL_SUCCESS,
                  xcoll_allreduce(&one, &sums[1], 1, XCOLL_INT64, refuses ? no_op : sum, comm));
    ranks::expect(refuses ? XCOLL_ERR_OP : XCOLL_ERR_MISMATCH, end(rank));
    ranks::expect_in_step(rank, comm);
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    constexpr int instead_of_half_an_hour = 20'000;
    ranks::succeed(xcoll_comm_set_timeout(comm, instead_of_half_an_hour));
    for (const auto part : {all_short_groups_of_two_who_refuse, any_ranks_refuse_any_call_of_any_stage,
                            behind_a_message_that_does_not_come}) {
        part(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 2 3 5
//
// Operations that are called while a group of several stages is in flight on the same communicator, whose later stages
// begin behind them: where operations go by messages, too. Also run by tests/net/one_machine.sh.
#include <array>
#include <vector>

#include "in_step.h"

using ranks::Rank;

namespace {

constexpr size_t count = 10;
constexpr int times = 20;

// Sums of each rank's number, which is known to all.
struct Sum {
    explicit Sum(int number) {
        mine.fill(number);
    }
    void expect(int wanted, const char *what) const {
        for (const int one : sum) {
            ranks::check(one == wanted, what);
        }
    }
    std::array<int, count> mine, sum{};
};

void call_in_two_stages(const Rank &rank, xcoll_comm_t comm, Sum &staged, std::vector<int> &parts) {
    parts.assign(count * static_cast<size_t>(rank.size()), 0);
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allgather(staged.mine.data(), count, parts.data(), XCOLL_INT32, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_allreduce(staged.mine.data(), staged.sum.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_barrier(comm));
}

int sum_of_ranks(const Rank &rank) {
    return rank.size() * (rank.size() + 1) / 2;
}

void an_operation_begins_before_a_later_stage(const Rank &rank, xcoll_comm_t comm) {
    for (int time = 0; time < times; ++time) {
        Sum staged(rank.rank() + 1), behind(5);
        std::vector<int> parts;
        call_in_two_stages(rank, comm, staged, parts);
        xcoll_request_t group = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_iend(&group));
        ranks::succeed(xcoll_allreduce(behind.mine.data(), behind.sum.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::succeed(xcoll_wait(&group));
        behind.expect(5 * rank.size(), "the operation behind the group");
        staged.expect(sum_of_ranks(rank), "the later stage");
    }
}

// Of which some ranks see the ends in another order than others.
void many_operations_begin_before_a_later_stage(const Rank &rank, xcoll_comm_t comm) {
    for (int time = 0; time < times; ++time) {
        Sum staged(rank.rank() + 1);
        std::vector<int> parts;
        call_in_two_stages(rank, comm, staged, parts);
        xcoll_request_t group = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_iend(&group));
        std::vector<Sum> behind(5, Sum(2));
        std::vector<xcoll_request_t> requests(behind.size());
        for (size_t i = 0; i < behind.size(); ++i) {
            ranks::succeed(xcoll_iallreduce(behind[i].mine.data(), behind[i].sum.data(), count, XCOLL_INT32, XCOLL_SUM,
                                            comm, &requests[i]));
        }
        if ((rank.rank() + time) % 2 == 0) {
            ranks::succeed(xcoll_wait(&group));
        }
        ranks::succeed(xcoll_waitall(requests.size(), requests.data()));
        ranks::succeed(xcoll_wait(&group));
        for (const Sum &sum : behind) {
            sum.expect(2 * rank.size(), "an operation behind the group");
        }
        staged.expect(sum_of_ranks(rank), "the later stage");
    }
}

void an_operation_begins_before_a_later_stage_of_a_persistent_group(const Rank &rank, xcoll_comm_t comm) {
    Sum staged(rank.rank() + 1), behind(5);
    std::vector<int> parts;
    call_in_two_stages(rank, comm, staged, parts);
    xcoll_request_t group = XCOLL_REQUEST_NULL;
    ranks::succeed(xcoll_group_end_init(&group));
    for (int time = 0; time < times; ++time) {
        staged.sum = behind.sum = {};
        ranks::succeed(xcoll_start(&group));
        ranks::succeed(xcoll_allreduce(behind.mine.data(), behind.sum.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::succeed(xcoll_wait(&group));
        behind.expect(5 * rank.size(), "the operation behind the persistent group");
        staged.expect(sum_of_ranks(rank), "the later stage of the persistent group");
    }
    ranks::succeed(xcoll_request_free(&group));
}

// Rank 0 gathers something else: the stages behind that run nowhere, but what was called behind the group does.
void an_operation_behind_a_group_that_fails_goes_on(const Rank &rank, xcoll_comm_t comm) {
    if (rank.size() == 1) {
        return;
    }
    for (int time = 0; time < times; ++time) {
        Sum staged(1), behind(5);
        std::vector<int> parts(2 * count * static_cast<size_t>(rank.size()));
        const std::vector<int> mine(2 * count);
        ranks::succeed(xcoll_group_start());
        ranks::succeed(
            xcoll_allgather(mine.data(), rank.rank() == 0 ? 2 * count : count, parts.data(), XCOLL_INT32, comm));
        ranks::succeed(xcoll_group_then());
        ranks::succeed(xcoll_allreduce(staged.mine.data(), staged.sum.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        xcoll_request_t group = XCOLL_REQUEST_NULL;
        ranks::succeed(xcoll_group_iend(&group));
        ranks::succeed(xcoll_allreduce(behind.mine.data(), behind.sum.data(), count, XCOLL_INT32, XCOLL_SUM, comm));
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_wait(&group));
        behind.expect(5 * rank.size(), "the operation behind the group that fails");
        ranks::expect_in_step(rank, comm);
    }
}

void test(Rank &rank) {
    for (const char *settings : {"", "ALLREDUCE=ring", "ALLREDUCE=doubling;BARRIER=dissemination"}) {
        xcoll_comm_t comm = rank.open(settings);
        an_operation_begins_before_a_later_stage(rank, comm);
        many_operations_begin_before_a_later_stage(rank, comm);
        an_operation_begins_before_a_later_stage_of_a_persistent_group(rank, comm);
        an_operation_behind_a_group_that_fails_goes_on(rank, comm);
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

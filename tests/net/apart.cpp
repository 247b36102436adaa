// What goes wrong between ranks that share no memory goes wrong as it does where they do: run by the scripts of this
// folder.
#include <cstdint>
#include <thread>
#include <vector>

#include "abi/nobody.h"
#include "ranks/differing_groups.h"
#include "ranks/in_step.h"

using ranks::Rank;

namespace {

void a_refused_call_is_told_and_keeps_the_order(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    const int refused = rank.size() - 1;
    const xcoll_result_t result =
        xcoll_allreduce(rank.rank() == refused ? nullptr : &one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm);
    ranks::expect(rank.rank() == refused ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, result);
    if (rank.size() == 2 && rank.rank() != refused) { // of more, some hear of it from others that have left
        ranks::expect_message({"rank " + std::to_string(refused) + " called an operation that was refused"});
    }
    ranks::expect_in_step(rank, comm);
    xcoll_comm_t part = XCOLL_COMM_NULL;
    ranks::expect(rank.rank() == refused ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH,
                  xcoll_comm_split(comm, rank.rank() == refused ? -7 : 0, 0, &part));
    ranks::expect_in_step(rank, comm);
}

void a_group_with_a_refused_call_is_told(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    ranks::succeed(xcoll_group_start());
    xcoll_bcast(rank.rank() == 0 ? nullptr : &one, 1, XCOLL_INT32, 1, comm);
    ranks::succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    ranks::expect(rank.rank() == 0 ? XCOLL_ERR_ARGUMENT : XCOLL_ERR_MISMATCH, xcoll_group_end());
    ranks::expect_in_step(rank, comm);
}

// Rank 0 has more than there is room for: what is behind that runs nowhere.
void what_is_behind_a_failed_stage_is_told(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t most = 4;
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> out(2 * most), in(most * size);
    std::vector<uint64_t> counts(size);
    const uint64_t count = rank.rank() == 0 ? 2 * most : most;
    ranks::succeed(xcoll_group_start());
    ranks::succeed(xcoll_allgather_dyn(out.data(), &count, in.data(), counts.data(), most, 0, XCOLL_INT32, comm));
    ranks::succeed(xcoll_group_then());
    ranks::succeed(xcoll_barrier(comm));
    ranks::expect(XCOLL_ERR_TRUNCATE, xcoll_group_end());
    ranks::expect_in_step(rank, comm);
}

// Rank 0 waits for nobody, and hears of the difference when it is in its next operation.
void a_mismatch_harms_no_later_operation(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    const auto call = rank.rank() == 0 ? xcoll_scan : xcoll_exscan;
    const xcoll_result_t result = call(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm);
    ranks::expect(rank.rank() == 0 ? XCOLL_SUCCESS : XCOLL_ERR_MISMATCH, result);
    for (int time = 0; time < 3; ++time) {
        ranks::expect_in_step(rank, comm);
    }
}

// Each waits for another one, and no message is under way that would tell.
void ranks_that_wait_for_each_other_are_told(const Rank &rank, xcoll_comm_t comm) {
    constexpr size_t large = size_t{1} << 18;
    const auto size = static_cast<size_t>(rank.size());
    std::vector<int> out(large), in(large * size);
    const int next = (rank.rank() + 1) % rank.size();
    for (const size_t count : {size_t{1}, large}) {
        ranks::expect(XCOLL_ERR_MISMATCH, xcoll_bcast(in.data(), count, XCOLL_INT32, next, comm));
        ranks::expect_message({"called bcast(root " + std::to_string(next)});
        ranks::expect_in_step(rank, comm);
        // A short part is sent before its receiver is known to want it, so who gives one may not hear of it at once.
        const xcoll_result_t result = xcoll_gather(out.data(), count, in.data(), XCOLL_INT32, next, comm);
        if (count == large || result != XCOLL_SUCCESS) {
            ranks::expect(XCOLL_ERR_MISMATCH, result);
        }
        ranks::expect_in_step(rank, comm);
    }
}

// On communicators of their own: what one thread makes is not taken for what the other makes.
void threads_make_communicators_at_the_same_time(const Rank &rank, xcoll_comm_t comm) {
    constexpr int rounds = 100;
    std::vector<std::thread> threads;
    std::vector<xcoll_comm_t> own(2);
    for (xcoll_comm_t &of : own) {
        ranks::succeed(xcoll_comm_dup(comm, &of));
        const int factor = &of == &own[0] ? 1 : 1000;
        threads.emplace_back([&rank, of, factor] {
            ranks::speaker = rank.rank();
            for (int round = 0; round < rounds; ++round) {
                xcoll_comm_t made = XCOLL_COMM_NULL;
                ranks::succeed(xcoll_comm_dup(of, &made));
                int sum = 0;
                ranks::succeed(xcoll_allreduce(&factor, &sum, 1, XCOLL_INT32, XCOLL_SUM, made));
                ranks::check(sum == factor * rank.size(), "two communicators were taken for one");
                ranks::succeed(xcoll_comm_free(&made));
            }
        });
    }
    for (size_t i = 0; i < own.size(); ++i) {
        threads[i].join();
        ranks::succeed(xcoll_comm_free(&own[i]));
    }
}

void counts_that_differ_are_named(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    std::vector<size_t> counts(size, 2);
    const std::vector<int> out(3);
    std::vector<int> in(3 * size);
    counts[0] = rank.rank() == rank.size() - 1 ? 3 : 2;
    const xcoll_result_t result =
        xcoll_gatherv(out.data(), 2, in.data(), counts.data(), nullptr, XCOLL_INT32, rank.size() - 1, comm);
    if (rank.rank() == rank.size() - 1) {
        ranks::expect(XCOLL_ERR_MISMATCH, result);
        ranks::expect_message({"rank 0 sends 8 bytes to rank", "expects 12: the counts of the two ranks differ"});
    }
}

void a_message_to_nobody_is_none(const Rank &rank, xcoll_comm_t comm) {
    for (const auto part :
         {ranks::nobody::whatever_else_is_given, ranks::nobody::in_every_form, ranks::nobody::in_a_group}) {
        part(rank, comm);
        ranks::expect_in_step(rank, comm);
    }
    int data = 0;
    ranks::expect(XCOLL_ERR_UNSUPPORTED, xcoll_send(&data, 1, XCOLL_INT32, 0, 0, comm));
    ranks::expect(XCOLL_ERR_UNSUPPORTED,
                  xcoll_sendrecv(&data, 1, 0, 0, nullptr, 0, XCOLL_NO_RANK, 0, XCOLL_INT32, comm));
}

void test(Rank &rank) {
    xcoll_comm_t comm = rank.open();
    for (const auto part :
         {a_refused_call_is_told_and_keeps_the_order, a_group_with_a_refused_call_is_told,
          what_is_behind_a_failed_stage_is_told, a_mismatch_harms_no_later_operation,
          ranks_that_wait_for_each_other_are_told, ranks::differing::groups_that_differ_leave_the_ranks_in_step,
          threads_make_communicators_at_the_same_time, counts_that_differ_are_named, a_message_to_nobody_is_none}) {
        part(rank, comm);
        ranks::expect_in_step(rank, comm);
    }
    ranks::succeed(xcoll_comm_free(&comm));
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

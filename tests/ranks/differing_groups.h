// Groups of which one rank has another one than the rest: how they are called, and what is expected behind them.
#pragma once

#include <random>
#include <vector>

#include "in_step.h"

namespace ranks::differing {

inline constexpr size_t longest = 5'000;

enum class Ending { blocking, immediate, persistent };

// Calls of a group that are one operation for each stage and kind, or several, as their number and length goes.
struct Group {
    struct Call {
        int kind;
        size_t count;
        bool is_behind; // what came before, in a stage of its own
    };
    std::vector<Call> calls;

    explicit Group(std::mt19937 &random) {
        const size_t number = 1 + random() % 6;
        for (size_t i = 0; i < number; ++i) {
            const size_t count = random() % 3 == 0 ? longest : 1 + random() % 8;
            calls.push_back({static_cast<int>(random() % 4), count, i > 0 && random() % 5 == 0});
        }
    }
    void record(xcoll_comm_t comm, std::vector<int> &data, std::vector<int> &result) const {
        for (const Call &call : calls) {
            if (call.is_behind) {
                succeed(xcoll_group_then());
            }
            switch (call.kind) {
            case 0:
                succeed(xcoll_bcast(data.data(), call.count, XCOLL_INT32, 0, comm));
                break;
            case 1:
                succeed(xcoll_barrier(comm));
                break;
            case 2:
                succeed(xcoll_allgather(data.data(), call.count, result.data(), XCOLL_INT32, comm));
                break;
            default:
                succeed(xcoll_allreduce(data.data(), result.data(), call.count, XCOLL_INT32, XCOLL_SUM, comm));
            }
        }
    }
};

// What is wrong with it is told, or nothing at all: a rank that reads nothing of the others has nothing to tell.
inline void expect_mismatch_at_most(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        expect(XCOLL_ERR_MISMATCH, result);
    }
}

inline void run(const Group &group, Ending ending, xcoll_comm_t comm) {
    int size = 0;
    succeed(xcoll_comm_size(comm, &size));
    std::vector<int> data(longest), result(longest * static_cast<size_t>(size));
    succeed(xcoll_group_start());
    group.record(comm, data, result);
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    switch (ending) {
    case Ending::blocking:
        expect_mismatch_at_most(xcoll_group_end());
        break;
    case Ending::immediate:
        succeed(xcoll_group_iend(&request));
        expect_mismatch_at_most(xcoll_wait(&request));
        break;
    case Ending::persistent:
        succeed(xcoll_group_end_init(&request));
        for (int time = 0; time < 2; ++time) {
            succeed(xcoll_start(&request));
            expect_mismatch_at_most(xcoll_wait(&request));
        }
        succeed(xcoll_request_free(&request));
    }
}

// Every call is a call of all, or fails; the last ones succeed.
inline void expect_to_get_in_step(const Rank &rank, xcoll_comm_t comm) {
    constexpr int calls = 24, at_rest = 8;
    for (int call = 0; call < calls; ++call) {
        const int mine = (rank.rank() + 1) * (call + 1);
        int sum = 0;
        const xcoll_result_t result = xcoll_allreduce(&mine, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm);
        if (call >= calls - at_rest) {
            succeed(result);
        } else {
            expect_mismatch_at_most(result);
        }
        check(result != XCOLL_SUCCESS || sum == (call + 1) * rank.size() * (rank.size() + 1) / 2,
              "a call was taken for another one");
    }
}

inline void groups_that_differ_leave_the_ranks_in_step(const Rank &rank, xcoll_comm_t comm) {
    constexpr unsigned seeds = 60;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        std::mt19937 common(seed);
        const auto odd = static_cast<int>(common() % static_cast<unsigned>(rank.size()));
        const auto ending = static_cast<Ending>(common() % 3);
        std::mt19937 random(seed * 2 + (rank.rank() == odd ? 1 : 0));
        run(Group(random), ending, comm);
        expect_to_get_in_step(rank, comm);
    }
}

} // namespace ranks::differing

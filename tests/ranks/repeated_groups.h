// Groups of calls that a program makes again and again, until the library knows them.
#pragma once

#include <functional>

#include "recorded_calls.h"

namespace recorded {

// Enough for the library to know the group.
constexpr int times = 4;

// Two sets of the same calls, for groups whose buffers change.
class Groups {
public:
    Groups(const ranks::Rank &rank, xcoll_comm_t comm, const Script &script)
        : comm_(comm), sets_{{rank, script}, {rank, script}} {
    }
    size_t calls() const {
        return sets_[0].size();
    }
    // Call k takes its buffers from set `pick(k)`.
    using Pick = std::function<size_t(size_t k)>;
    void record(const Pick &pick, int turn, bool in_place = false) {
        for (size_t k = 0; k < calls(); ++k) {
            sets_[pick(k)].prepare(k, turn, in_place);
            ranks::succeed(sets_[pick(k)].call(k, comm_));
        }
    }
    void check(const Pick &pick, int turn) {
        for (size_t k = 0; k < calls(); ++k) {
            sets_[pick(k)].check(k, turn);
        }
    }
    void run(const Pick &pick, int turn, bool in_place = false) {
        ranks::succeed(xcoll_group_start());
        record(pick, turn, in_place);
        ranks::succeed(xcoll_group_end());
        check(pick, turn);
    }
    void run(int turn) {
        run(always_the_first, turn);
    }
    void get_used_to_it() {
        for (int turn = 0; turn < times; ++turn) {
            run(turn);
        }
    }
    static size_t always_the_first(size_t) {
        return 0;
    }
    Calls &calls_of(size_t set) {
        return sets_[set];
    }

private:
    xcoll_comm_t comm_;
    Calls sets_[2];
};

} // namespace recorded

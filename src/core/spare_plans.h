// Plans of receives that are over, for those to come. To make one and to take it apart again takes about 350
// instructions, as many as a wait that finds the message by one look at its line.
//
// The one that came first goes first: a program that receives the same in every round gets for each receive the plan
// that served it in the last one, and what is known of its call (Plan::serve_again). To describe, check and start it
// anew takes 300 instructions more.
//
//     round 1   irecv a  irecv b   wait a  wait b   kept: a b
//     round 2   irecv a: a's plan  irecv b: b's     ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace xcoll {

class Plan;

class SparePlans {
public:
    SparePlans();
    ~SparePlans();
    SparePlans(const SparePlans &) = delete;
    SparePlans &operator=(const SparePlans &) = delete;

    // It may serve again now; nullptr: there is none.
    std::unique_ptr<Plan> take();
    // One that nobody has any more. What there is no room for goes away.
    void keep(std::unique_ptr<Plan> plan);

private:
    // As many as most programs have under way at once, for less than 128 KiB in those that do: a window of 64 messages,
    // with which bandwidth is measured, or the neighbours of a few cells, 26 of each. With 32, windows of 60 and 100
    // messages of 8 bytes took about 1.3 and 2.1 times as long (Zen 3).
    static constexpr uint32_t most = 128; // a power of two
    std::array<std::unique_ptr<Plan>, most> plans_;
    uint32_t taken_ = 0, kept_ = 0; // since the start, so that their difference is right when they overflow
};

} // namespace xcoll

// Plans of receives that are over, for those to come. To make one and to take it apart again takes about 350
// instructions, as many as a wait that finds the message by one look at its line.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace xcoll {

class Plan;

class SparePlans {
public:
    SparePlans();
    ~SparePlans();
    SparePlans(const SparePlans &) = delete;
    SparePlans &operator=(const SparePlans &) = delete;

    // nullptr: there is none.
    std::unique_ptr<Plan> take();
    // One that nobody has any more. What there is no room for goes away.
    void keep(std::unique_ptr<Plan> plan);

private:
    // As many as most programs have under way at once, for less than 32 KiB: the neighbours of a cell, 26 of them, or a
    // window of a few dozen messages.
    static constexpr size_t most = 32;
    std::array<std::unique_ptr<Plan>, most> plans_;
    size_t count_ = 0;
};

} // namespace xcoll

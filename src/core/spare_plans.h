// Plans of receives that are over, for those to come. A receive that finds its message by one look at a line takes
// about 300 instructions; to make a plan for it and to take that apart took 350 more.
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

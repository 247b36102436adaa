// How far two processors are apart at the moment: virtual machines move, and every time changes with it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/shared/task.h"

namespace xcoll::perf {

// Made and used by all ranks together.
class RoundTrip {
public:
    explicit RoundTrip(const Member &member);
    ~RoundTrip();
    RoundTrip(const RoundTrip &) = delete;
    RoundTrip &operator=(const RoundTrip &) = delete;
    // Nanoseconds of a cache line from rank 0 to rank 1 and of another one back, on rank 0. Not a number on the other
    // ranks, and where it cannot be told: of one rank, between machines, with more ranks than processors.
    double measure();

private:
    using Word = std::atomic_ref<uint64_t>;
    double bounce();
    bool wait_for(uint64_t round);

    Member member_;
    void *mine_ = nullptr;
    uint64_t *sent_ = nullptr, *received_ = nullptr; // a line of this rank's, and its partner's; null: none
    uint64_t round_ = 0;
};

// Whether two of them, in nanoseconds, are those of different states of a machine.
bool is_another_machine(double first, double second);

} // namespace xcoll::perf

// Sets of processors, small enough to be told to every peer at start-up.
#pragma once

#include <cstdint>

namespace xcoll {

struct CpuSet {
    static constexpr int limit = 1024; // as the kernel interface's cpu_set_t; processors beyond are not counted
    uint64_t bits[limit / 64] = {};
    int count() const;
    void add(const CpuSet &other);
};

// Those that the calling thread may run on.
CpuSet allowed_cpus();

} // namespace xcoll

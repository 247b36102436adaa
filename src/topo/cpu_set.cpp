#include "topo/cpu_set.h"

#include <sched.h>

#include <bit>

namespace xcoll {

int CpuSet::count() const {
    int sum = 0;
    for (const uint64_t word : bits) {
        sum += std::popcount(word);
    }
    return sum;
}

void CpuSet::add(const CpuSet &other) {
    for (int i = 0; i < limit / 64; ++i) {
        bits[i] |= other.bits[i];
    }
}

CpuSet allowed_cpus() {
    CpuSet set;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return set;
    }
    for (int cpu = 0; cpu < CpuSet::limit; ++cpu) {
        if (CPU_ISSET(cpu, &allowed)) {
            set.bits[cpu / 64] |= uint64_t{1} << (cpu % 64);
        }
    }
    return set;
}

} // namespace xcoll

#include "topo/place.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <sched.h>

namespace xcoll {

std::vector<int> allowed_processors() {
    // The kernel refuses a set smaller than its own.
    for (int capacity = 1024; capacity <= 1 << 20; capacity *= 4) {
        struct Free {
            void operator()(cpu_set_t *set) const {
                CPU_FREE(set);
            }
        };
        const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(static_cast<size_t>(capacity)));
        const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(capacity));
        if (!set) {
            return {};
        }
        CPU_ZERO_S(bytes, set.get());
        if (sched_getaffinity(0, bytes, set.get()) == 0) {
            std::vector<int> cpus;
            for (int cpu = 0; cpu < capacity; ++cpu) {
                if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set.get())) {
                    cpus.push_back(cpu);
                }
            }
            return cpus;
        }
        if (errno != EINVAL) {
            return {};
        }
    }
    return {};
}

Place place_of(const Machine &machine, const std::vector<int> &cpus) {
    Place place;
    bool first = true;
    for (const Processor &processor : machine.processors) {
        if (!std::binary_search(cpus.begin(), cpus.end(), processor.cpu)) {
            continue;
        }
        if (first) {
            place = {processor.l3, processor.numa, processor.socket};
        }
        first = false;
        place.l3 = place.l3 == processor.l3 ? place.l3 : -1;
        place.numa = place.numa == processor.numa ? place.numa : -1;
        place.socket = place.socket == processor.socket ? place.socket : -1;
    }
    return place;
}

Place current_place(const Machine &machine) {
    return place_of(machine, allowed_processors());
}

} // namespace xcoll

#include "tools/xcollrun/processors.h"

#include <cerrno>
#include <sched.h>

namespace xcoll::launcher {

namespace {

// A set of processors as the kernel wants it, however many there are.
class ProcessorSet {
public:
    explicit ProcessorSet(int capacity)
        : words_(CPU_ALLOC_SIZE(static_cast<size_t>(capacity)) / sizeof(unsigned long)) {
    }
    cpu_set_t *get() {
        return reinterpret_cast<cpu_set_t *>(words_.data());
    }
    size_t bytes() const {
        return words_.size() * sizeof(unsigned long);
    }

private:
    std::vector<unsigned long> words_;
};

} // namespace

std::vector<int> usable_processors() {
    std::vector<int> processors;
    // The kernel refuses a set that is smaller than its own.
    for (int capacity = 1024; capacity <= 1 << 20 && processors.empty(); capacity *= 4) {
        ProcessorSet set(capacity);
        if (sched_getaffinity(0, set.bytes(), set.get()) != 0) {
            continue;
        }
        for (int processor = 0; processor < capacity; ++processor) {
            if (CPU_ISSET_S(static_cast<size_t>(processor), set.bytes(), set.get())) {
                processors.push_back(processor);
            }
        }
    }
    if (processors.empty()) {
        processors.push_back(0);
    }
    return processors;
}

void bind_to(int processor) {
    ProcessorSet set(processor + 1);
    CPU_SET_S(static_cast<size_t>(processor), set.bytes(), set.get());
    sched_setaffinity(0, set.bytes(), set.get());
}

} // namespace xcoll::launcher

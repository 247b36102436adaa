// The limits of the system that a job can run into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xcoll::tools {

constexpr uint64_t no_limit = ~uint64_t{0};

struct Limit {
    const char *name;
    bool is_bytes;
    uint64_t soft, hard; // hard: what the soft one may be raised to; no_limit
    const char *meaning; // what needs it
};

// Of this process, of its container, of /dev/shm; what the system does not tell is left out.
std::vector<Limit> read_limits();
std::string show_limit(const Limit &limit, uint64_t value);

} // namespace xcoll::tools

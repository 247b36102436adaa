// An operation that has begun, as those who keep what happened know it.
#pragma once

#include <cstdint>

namespace xcoll {

struct Recorded {
    uint64_t number = 0;     // in the flight recorder
    bool is_message = false; // messages have numbers of their own there
    uint64_t event = 0;      // in the trace, if there is one
};

} // namespace xcoll

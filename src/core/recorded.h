// An operation that has begun, as those who keep what happened know it.
#pragma once

#include <cstdint>

namespace xcoll {

struct Recorded {
    // Messages have numbers of their own, and operations that began beside others have places of their own. A word, for
    // without a gap the members are copied one by one: read together, just written, they would come late.
    enum class As : uint64_t { operation, beside_others, message };
    uint64_t number = 0; // in the flight recorder
    As as = As::operation;
    uint64_t event = 0; // in the trace, if there is one
};

} // namespace xcoll

// Whether two pieces of memory have a byte in common.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xcoll {

inline bool lie_apart(const void *one, size_t one_bytes, const void *other, size_t other_bytes) {
    const auto a = reinterpret_cast<uintptr_t>(one), b = reinterpret_cast<uintptr_t>(other);
    return a + one_bytes <= b || b + other_bytes <= a;
}

} // namespace xcoll

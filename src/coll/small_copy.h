// Copies of at most 32 bytes without a call: the payload of an inline head.
#pragma once

#include <cstddef>
#include <cstring>

namespace xcoll {

// Two overlapping moves of a fixed size cover every length of a range; compilers turn each into one instruction.
inline void copy_small(void *to, const void *from, size_t bytes) {
    auto *t = static_cast<char *>(to);
    const auto *f = static_cast<const char *>(from);
    const auto twice = [&]<size_t size>() {
        char first[size], last[size];
        std::memcpy(first, f, size);
        std::memcpy(last, f + bytes - size, size);
        std::memcpy(t, first, size);
        std::memcpy(t + bytes - size, last, size);
    };
    if (bytes >= 16) {
        twice.template operator()<16>();
    } else if (bytes >= 8) {
        twice.template operator()<8>();
    } else if (bytes >= 4) {
        twice.template operator()<4>();
    } else if (bytes >= 2) {
        twice.template operator()<2>();
    } else if (bytes == 1) {
        *t = *f;
    }
}

} // namespace xcoll

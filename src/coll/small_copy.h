// Copies of at most 32 bytes without a call: the payload of an inline head.
#pragma once

#include <cstddef>
#include <cstring>

namespace xcoll {

// The first `size` bytes and the last, which may be some of the same.
template <size_t size> void copy_ends(char *to, const char *from, size_t bytes) {
    char first[size], last[size];
    std::memcpy(first, from, size);
    std::memcpy(last, from + bytes - size, size);
    std::memcpy(to, first, size);
    std::memcpy(to + bytes - size, last, size);
}

// Two overlapping moves of a fixed size cover every length of a range; compilers turn each into one instruction.
inline void copy_small(void *to, const void *from, size_t bytes) {
    auto *t = static_cast<char *>(to);
    const auto *f = static_cast<const char *>(from);
    if (bytes >= 16) {
        copy_ends<16>(t, f, bytes);
    } else if (bytes >= 8) {
        copy_ends<8>(t, f, bytes);
    } else if (bytes >= 4) {
        copy_ends<4>(t, f, bytes);
    } else if (bytes >= 2) {
        copy_ends<2>(t, f, bytes);
    } else if (bytes == 1) {
        *t = *f;
    }
}

} // namespace xcoll

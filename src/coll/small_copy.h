// Copies of at most 96 bytes without a call: the payload of an inline head.
#pragma once

#include <cstddef>
#include <cstring>

#include "fabric/board.h"

namespace xcoll {

// The first `size` bytes and the last, which may be some of the same.
template <size_t size> void copy_ends(char *to, const char *from, size_t bytes) {
    char first[size], last[size];
    std::memcpy(first, from, size);
    std::memcpy(last, from + bytes - size, size);
    std::memcpy(to, first, size);
    std::memcpy(to + bytes - size, last, size);
}

// Two overlapping moves of a fixed size cover every length of a range; compilers turn each into a few instructions.
[[gnu::always_inline]] inline void copy_in_line(char *to, const char *from, size_t bytes) {
    if (bytes >= 32) {
        copy_ends<32>(to, from, bytes);
    } else if (bytes >= 16) {
        copy_ends<16>(to, from, bytes);
    } else if (bytes >= 8) {
        copy_ends<8>(to, from, bytes);
    } else if (bytes >= 4) {
        copy_ends<4>(to, from, bytes);
    } else if (bytes >= 2) {
        copy_ends<2>(to, from, bytes);
    } else if (bytes == 1) {
        *to = *from;
    }
}

// What is behind the first bytes, in the head's second line, comes first: peers look at the first one, and whoever
// writes the second in between may have to get the first one back.
[[gnu::always_inline]] inline void copy_small(void *to, const void *from, size_t bytes) {
    auto *t = static_cast<char *>(to);
    const auto *f = static_cast<const char *>(from);
    if (bytes <= first_line_bytes) {
        copy_in_line(t, f, bytes);
    } else {
        copy_in_line(t + first_line_bytes, f + first_line_bytes, bytes - first_line_bytes);
        std::memcpy(t, f, first_line_bytes);
    }
}

// For whoever takes a function to copy with: behind a pointer to one that must be inlined, a compiler that optimizes
// while it links need not see it.
struct SmallCopy {
    [[gnu::always_inline]] void operator()(void *to, const void *from, size_t bytes) const {
        copy_small(to, from, bytes);
    }
};

} // namespace xcoll

// Copies in vectors of `Arch::copy_bytes`.
#pragma once

#include "kernels/pass.h"

namespace xcoll {
namespace {

template <int width, int n> [[gnu::always_inline]] inline void copy_vectors(char *to, const char *from, size_t step) {
    Vec<uint8_t, n> values[width];
    for (int k = 0; k < width; ++k) {
        values[k] = load_raw<uint8_t, n>(from + static_cast<size_t>(k) * step, 0);
    }
    for (int k = 0; k < width; ++k) {
        store_raw<uint8_t, n>(to + static_cast<size_t>(k) * step, 0, values[k]);
    }
}

// The first and the last n bytes, which meet or overlap.
template <int n> [[gnu::always_inline]] inline void copy_ends(char *to, const char *from, size_t bytes) {
    copy_vectors<2, n>(to, from, bytes - n);
}

[[gnu::always_inline]] inline void copy_tiny(char *to, const char *from, size_t bytes) {
    if (bytes >= 8) {
        const auto first = load_raw<uint64_t, 1>(from, 0);
        const auto last = load_raw<uint64_t, 1>(from + bytes - 8, 0);
        store_raw<uint64_t, 1>(to, 0, first);
        store_raw<uint64_t, 1>(to + bytes - 8, 0, last);
    } else if (bytes >= 4) {
        const auto first = load_raw<uint32_t, 1>(from, 0);
        const auto last = load_raw<uint32_t, 1>(from + bytes - 4, 0);
        store_raw<uint32_t, 1>(to, 0, first);
        store_raw<uint32_t, 1>(to + bytes - 4, 0, last);
    } else if (bytes > 0) {
        const char first = from[0];
        const char middle = from[bytes / 2];
        const char last = from[bytes - 1];
        to[0] = first;
        to[bytes / 2] = middle;
        to[bytes - 1] = last;
    }
}

template <int n> [[gnu::always_inline]] inline void copy_few(char *to, const char *from, size_t bytes) {
    if constexpr (n == 8) {
        copy_tiny(to, from, bytes);
    } else if (bytes < n) {
        copy_few<n / 2>(to, from, bytes);
    } else {
        copy_ends<n>(to, from, bytes);
    }
}

// Compilers turn loops that copy into calls of memcpy, which is what this replaces.
[[gnu::always_inline]] inline void keep_loop() {
    asm volatile("" ::: "memory");
}

template <int n> [[gnu::always_inline]] inline void copy_inline(char *to, const char *from, size_t bytes) {
    if (bytes < 2 * n) {
        copy_few<n>(to, from, bytes);
        return;
    }
    const auto last = load_raw<uint8_t, n>(from + bytes - n, 0);
    char *const last_to = to + bytes - n;
    // Stores of whole aligned lines are worth more than loads of them.
    const size_t head = n - reinterpret_cast<uintptr_t>(to) % n;
    store_raw<uint8_t, n>(to, 0, load_raw<uint8_t, n>(from, 0));
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= 8 * n; bytes -= 8 * n) {
        copy_vectors<8, n>(to, from, n);
        to += 8 * n;
        from += 8 * n;
        keep_loop();
    }
    for (; bytes >= n; bytes -= n) {
        copy_vectors<1, n>(to, from, n);
        to += n;
        from += n;
        keep_loop();
    }
    store_raw<uint8_t, n>(last_to, 0, last);
}

template <class Arch> void copy(void *to, const void *from, size_t bytes) {
    mark_read(from, bytes);
    mark_written(to, bytes);
    copy_inline<Arch::copy_bytes>(static_cast<char *>(to), static_cast<const char *>(from), bytes);
}

// By the lower bits of the addresses, which are all that some processors look at to find out whether a string copy
// would overwrite what it has yet to read. On a Zen 3 one of 64 KiB takes 22 us where the destination is 1 to 31 bytes
// behind the source like that, 2.6 up to 63 bytes, and 1.3 elsewhere. What malloc gives is 16 bytes behind a page if it
// is large, and payloads begin with a line.
inline bool seems_to_overlap(const void *to, const void *from) {
    constexpr uintptr_t seen = 4096, near = 64;
    const uintptr_t behind = (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % seen;
    return behind != 0 && behind < near;
}

// Its stores may be seen in any order among themselves, but before all that follow: a flag behind them tells of all.
template <class Arch> void copy_string(void *to, const void *from, size_t bytes) {
    if (seems_to_overlap(to, from)) {
        copy<Arch>(to, from, bytes);
        return;
    }
    mark_read(from, bytes);
    mark_written(to, bytes);
    Arch::move_string(to, from, bytes);
}

inline constexpr size_t line = 64;

// Lines that are not written whole would be read back from memory, so the edges are stored normally.
template <class Arch> void copy_stream(void *to, const void *from, size_t bytes) {
    mark_read(from, bytes);
    mark_written(to, bytes);
    char *out = static_cast<char *>(to);
    const char *in = static_cast<const char *>(from);
    const size_t head = -reinterpret_cast<uintptr_t>(to) % line;
    if (bytes < head + line) {
        copy_inline<Arch::copy_bytes>(out, in, bytes);
        return;
    }
    copy_inline<Arch::copy_bytes>(out, in, head);
    out += head;
    in += head;
    bytes -= head;
    for (; bytes >= 4 * line; bytes -= 4 * line) {
        Arch::template stream_lines<4>(out, in);
        out += 4 * line;
        in += 4 * line;
    }
    for (; bytes >= line; bytes -= line) {
        Arch::template stream_lines<1>(out, in);
        out += line;
        in += line;
    }
    copy_inline<Arch::copy_bytes>(out, in, bytes);
    Arch::stream_fence();
}

} // namespace
} // namespace xcoll

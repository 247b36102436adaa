// How the calling thread's processor rounds and treats denormal numbers. Ranks that differ would get different sums, so
// it is part of what must match, also between processors of different kinds.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace xcoll {

// Bits 0 and 1: denormals. On x86-64 bit 0 flushes results to zero, bit 1 takes inputs for zero, and who wants one
// wants both. AArch64 has one bit for both and takes a result for denormal before it is rounded, x86-64 after: that is
// another number, so that they do not pass for the same.
inline constexpr uint8_t float_mode_flush = 3, float_mode_flush_early = 2;
// Bits 2 and 3, as x86-64 numbers them: 0 to the nearest, 1 down, 2 up, 3 toward zero.
inline constexpr uint8_t float_mode_rounding = 12;

inline uint8_t float_mode() {
#if defined(__x86_64__)
    const uint32_t control = _mm_getcsr();
    return static_cast<uint8_t>((control >> 15 & 1) | (control >> 6 & 1) << 1 | (control >> 13 & 3) << 2);
#elif defined(__aarch64__)
    uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control)); // volatile: a callback between two calls may change it
    const uint64_t up = control >> 22 & 1, down = control >> 23 & 1, flushes = control >> 24 & 1;
    return static_cast<uint8_t>(flushes * float_mode_flush_early | down << 2 | up << 3);
#else
    return 0;
#endif
}

} // namespace xcoll

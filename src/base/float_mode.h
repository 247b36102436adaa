// How the calling thread's processor rounds and treats denormal numbers. Ranks that differ would get different sums, so
// it is part of what must match.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace xcoll {

inline constexpr uint8_t float_mode_flush = 3;     // denormal results flushed and inputs taken as zero: both bits
inline constexpr uint8_t float_mode_rounding = 12; // not to the nearest: as the processor numbers its other ways

// Bit 0: denormal results are flushed to zero. Bit 1: denormal inputs count as zero. Bits 2 and 3: the rounding.
inline uint8_t float_mode() {
#if defined(__x86_64__)
    const uint32_t control = _mm_getcsr();
    return static_cast<uint8_t>((control >> 15 & 1) | (control >> 6 & 1) << 1 | (control >> 13 & 3) << 2);
#elif defined(__aarch64__)
    uint64_t control;
    asm("mrs %0, fpcr" : "=r"(control));
    const auto rounding = static_cast<uint8_t>((control >> 22 & 3) << 2);
    return control >> 24 & 1 ? rounding | float_mode_flush : rounding; // one bit does both
#else
    return 0;
#endif
}

} // namespace xcoll

// Inputs for the tests of the kernels: all that is special about a type, and plenty of what is not.
#pragma once

#include <algorithm>

#include "kernels_reference.h"

namespace reference {

using xcoll::size_of;

// Bits that mean something special in one type or another, and small numbers, and anything.
inline uint64_t interesting_bits(Dtype dtype, Random &random) {
    static constexpr uint64_t of_half[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                                           0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe55};
    static constexpr uint64_t of_bfloat[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80, 0xbf80,
                                             0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffd5};
    static constexpr uint64_t of_float[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,
                                            0x800000,   0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                                            0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345};
    static constexpr uint64_t of_e4m3[] = {0,    0x80, 1,    0x81, 7,    8,    0x38, 0xb8,
                                           0x7e, 0xfe, 0x77, 0xf7, 0x7f, 0x78, 0xff};
    static constexpr uint64_t of_e5m2[] = {0,    0x80, 1,    0x81, 3,    4,    0x3c, 0xbc,
                                           0x7b, 0xfb, 0x7c, 0xfc, 0x7e, 0x7d, 0xff};
    switch (dtype) {
    case Dtype::float8_e4m3:
        return of_e4m3[random.below(15)];
    case Dtype::float8_e5m2:
        return of_e5m2[random.below(15)];
    case Dtype::float16:
        return of_half[random.below(15)];
    case Dtype::bfloat16:
        return of_bfloat[random.below(15)];
    case Dtype::float32:
        return of_float[random.below(15)];
    case Dtype::float64: {
        // The exponent is three bits wider; everything else is where it is in a float.
        const uint64_t bits = of_float[random.below(15)];
        const uint64_t exponent = bits >> 23 & 0xff;
        const uint64_t wide = exponent == 0xff ? 0x7ff : exponent == 0xfe ? 0x7fe : exponent == 0x7f ? 0x3ff : exponent;
        return (bits >> 31) << 63 | wide << 52 | (bits & 0x7fffff) << 29 | (bits & 1);
    }
    default:
        return random.below(2) != 0 ? 0 : uint64_t{1} << (8 * size_of(dtype) - 1);
    }
}

inline uint64_t tame_bits(Dtype dtype, Random &random) {
    const float value = (static_cast<float>(random.below(2000001)) - 1000000.0f) / 65536.0f;
    if (dtype == Dtype::float32) {
        return same_bits<uint32_t>(value);
    }
    if (dtype == Dtype::float64) {
        return same_bits<uint64_t>(static_cast<double>(value) / 3);
    }
    if (const SmallFloat *format = small_float(dtype)) {
        return from_float(*format, value);
    }
    return random.below(5);
}

inline void fill(void *to, Dtype dtype, size_t count, Random &random);

// Few values and few indices, so that many are equal; anything where nobody looks.
inline void fill_pairs(void *to, Dtype dtype, size_t count, Random &random) {
    const Parts parts = parts_of(dtype);
    const size_t bytes = size_of(dtype);
    for (size_t i = 0; i < count; ++i) {
        char *at = static_cast<char *>(to) + i * bytes;
        for (size_t k = 0; k < bytes; ++k) {
            at[k] = static_cast<char>(random.below(256));
        }
        fill(at, parts.value, 1, random);
        const uint64_t index = random.below(9) == 0 ? random.next() : random.below(3);
        std::memcpy(at + std::max(size_of(parts.value), size_of(parts.index)), &index, size_of(parts.index));
    }
}

inline void fill(void *to, Dtype dtype, size_t count, Random &random) {
    if (xcoll::is_pair(dtype)) {
        return fill_pairs(to, dtype, count, random);
    }
    if (xcoll::is_complex(dtype)) {
        return fill(to, dtype == Dtype::complex64 ? Dtype::float32 : Dtype::float64, 2 * count, random);
    }
    const size_t bytes = size_of(dtype);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t kind = random.below(8);
        const uint64_t bits = kind == 0   ? interesting_bits(dtype, random)
                              : kind == 1 ? random.next()
                                          : tame_bits(dtype, random);
        std::memcpy(static_cast<char *>(to) + i * bytes, &bits, bytes);
    }
}

} // namespace reference

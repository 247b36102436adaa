// Floating-point numbers of 8 and 16 bits, by way of their definition: sign, exponent and fraction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/kernels.h"

namespace reference {

using xcoll::Dtype;

// A value of a format with `digits` bits of fraction and a smallest exponent, from its bits without the sign.
inline double small_float_value(uint32_t magnitude, int digits, int min_exponent) {
    const auto exponent = static_cast<int>(magnitude >> digits);
    const double fraction = magnitude & ((1u << digits) - 1);
    if (exponent == 0) {
        return std::ldexp(fraction, min_exponent - digits);
    }
    return std::ldexp(fraction + (1u << digits), min_exponent - digits + exponent - 1);
}

struct SmallFloat {
    int digits;
    int min_exponent;
    uint16_t sign;
    uint16_t largest;
    bool has_infinity; // right above the largest; all that follows is NaN
    bool saturates;    // finite numbers beyond the largest become it
    uint16_t nan;
};
constexpr SmallFloat half{10, -14, 0x8000, 0x7bff, true, false, 0x7e00};
constexpr SmallFloat bfloat{7, -126, 0x8000, 0x7f7f, true, false, 0x7fc0};
constexpr SmallFloat e4m3{3, -6, 0x80, 0x7e, false, true, 0x7f};
constexpr SmallFloat e5m2{2, -14, 0x80, 0x7b, true, true, 0x7e};

inline const SmallFloat *small_float(Dtype dtype) {
    switch (dtype) {
    case Dtype::float16:
        return &half;
    case Dtype::bfloat16:
        return &bfloat;
    case Dtype::float8_e4m3:
        return &e4m3;
    case Dtype::float8_e5m2:
        return &e5m2;
    default:
        return nullptr;
    }
}

inline uint16_t infinity_of(const SmallFloat &format) {
    return format.has_infinity ? static_cast<uint16_t>(format.largest + 1) : format.largest;
}
inline bool is_nan(const SmallFloat &format, uint16_t bits) {
    return (bits & (format.sign - 1)) > infinity_of(format);
}

inline float to_float(const SmallFloat &format, uint16_t bits) {
    const uint32_t magnitude = bits & (format.sign - 1u);
    double value = std::numeric_limits<double>::quiet_NaN();
    if (magnitude <= format.largest) {
        value = small_float_value(magnitude, format.digits, format.min_exponent);
    } else if (!is_nan(format, bits)) {
        value = std::numeric_limits<double>::infinity();
    }
    return static_cast<float>(bits & format.sign ? -value : value);
}

// To nearest, ties to even: counts how many of the smallest steps at this magnitude the value has.
inline uint16_t from_float(const SmallFloat &format, float value) {
    if (std::isnan(value)) {
        return format.nan;
    }
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? format.sign : 0);
    const double absolute = std::fabs(static_cast<double>(value));
    if (std::isinf(absolute)) {
        return sign | infinity_of(format);
    }
    const int exponent = absolute == 0 ? format.min_exponent : std::max(std::ilogb(absolute), format.min_exponent);
    const double steps = std::nearbyint(std::ldexp(absolute, format.digits - exponent));
    // A carry out of the fraction moves into the exponent by itself.
    const double bits = steps + std::ldexp(exponent - format.min_exponent, format.digits);
    const uint16_t limit = format.saturates ? format.largest : infinity_of(format);
    return sign | static_cast<uint16_t>(std::min(bits, static_cast<double>(limit)));
}

} // namespace reference

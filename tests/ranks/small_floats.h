// Floating-point numbers of 8 and 16 bits, by way of their definition: a value is sign, fraction and exponent.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace values {

struct Float16 {
    uint16_t bits;
};
struct Bfloat16 {
    uint16_t bits;
};
// OCP E4M3FN and E5M2.
struct E4m3 {
    uint8_t bits;
    static constexpr int fraction_bits = 3, bias = 7, largest = 0x7e, infinity = 0x7e, nan = 0x7f;
};
struct E5m2 {
    uint8_t bits;
    static constexpr int fraction_bits = 2, bias = 15, largest = 0x7b, infinity = 0x7c, nan = 0x7e;
};
static_assert(sizeof(Float16) == 2 && sizeof(Bfloat16) == 2 && sizeof(E4m3) == 1 && sizeof(E5m2) == 1);
template <class T> constexpr bool is_byte_float = std::is_same_v<T, E4m3> || std::is_same_v<T, E5m2>;
template <class T>
constexpr bool is_small = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16> || is_byte_float<T>;
inline float to_float(Float16 half) {
    const int exponent = half.bits >> 10 & 31;
    const int fraction = half.bits & 1023;
    float value = exponent == 31
                      ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
                  : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                  : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return half.bits & 0x8000 ? -value : value;
}
inline float to_float(Bfloat16 half) {
    return std::bit_cast<float>(static_cast<uint32_t>(half.bits) << 16);
}
// To nearest, ties to even.
inline void round_to(float value, Float16 &half) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const float magnitude = std::fabs(value);
    if (std::isnan(value)) {
        half.bits = 0x7e00;
    } else if (magnitude >= 65520) { // half way from the largest number to the next one
        half.bits = static_cast<uint16_t>(sign | 0x7c00);
    } else {
        const int exponent = std::max(magnitude == 0 ? -14 : std::ilogb(magnitude), -14);
        const auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent))); // 1024 .. 2048
        half.bits = static_cast<uint16_t>(sign | (((exponent + 14) << 10) + steps));
    }
}
inline void round_to(float value, Bfloat16 &half) {
    const auto bits = std::bit_cast<uint32_t>(value);
    half.bits = std::isnan(value) ? 0x7fc0 : static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
requires is_byte_float<T>
float to_float(T number) {
    const int magnitude = number.bits & 0x7f;
    const int exponent = std::max(magnitude >> T::fraction_bits, 1);
    const int units = magnitude - ((exponent - 1) << T::fraction_bits); // of the last place; a denormal has no more
    const float value = magnitude <= T::largest
                            ? std::ldexp(static_cast<float>(units), exponent - T::bias - T::fraction_bits)
                        : magnitude == T::infinity ? std::numeric_limits<float>::infinity()
                                                   : std::numeric_limits<float>::quiet_NaN();
    return number.bits & 0x80 ? -value : value;
}
// Finite numbers become no more than the largest one.
template <class T>
requires is_byte_float<T>
void round_to(float value, T &number) {
    const float magnitude = std::fabs(value);
    int bits = T::largest;
    if (std::isnan(value)) {
        number.bits = T::nan;
        return;
    }
    if (std::isinf(value)) {
        bits = T::infinity;
    } else if (magnitude < 65536) {
        const int exponent = std::max(magnitude == 0 ? -99 : std::ilogb(magnitude), 1 - T::bias);
        const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, T::fraction_bits - exponent)));
        bits = std::min(((exponent + T::bias - 1) << T::fraction_bits) + units, T::largest);
    }
    number.bits = static_cast<uint8_t>(bits | (std::signbit(value) ? 0x80 : 0));
}

} // namespace values

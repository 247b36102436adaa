// Elements in memory and the lanes in which they are added up. Numbers of 8 and 16 bits become floats on the way in and
// are rounded to nearest even on the way out; everything else stays what it is.
#pragma once

#include "kernels/lanes.h"

namespace xcoll {
namespace {

struct Half {
    uint16_t bits;
};
struct Bfloat {
    uint16_t bits;
};

// The 8-bit formats: 4 bits of exponent and 3 of fraction, with one NaN and no infinity; 5 and 2, as the upper half of
// a Half.
struct E4m3 {
    uint8_t bits;
    static constexpr int fraction_bits = 3;
    static constexpr uint32_t bias = 7;
    static constexpr int32_t largest = 0x7e;
    static constexpr int32_t infinity = largest;
    static constexpr int32_t nan = 0x7f;
};
struct E5m2 {
    uint8_t bits;
    static constexpr int fraction_bits = 2;
    static constexpr uint32_t bias = 15;
    static constexpr int32_t largest = 0x7b;
    static constexpr int32_t infinity = 0x7c;
    static constexpr int32_t nan = 0x7e;
};
template <class T> inline constexpr bool is_byte_float = is_same<T, E4m3> || is_same<T, E5m2>;

template <class T> struct AccumulatorOf { using type = T; };
template <> struct AccumulatorOf<Half> { using type = float; };
template <> struct AccumulatorOf<Bfloat> { using type = float; };
template <> struct AccumulatorOf<E4m3> { using type = float; };
template <> struct AccumulatorOf<E5m2> { using type = float; };
template <class T> using Accumulator = typename AccumulatorOf<T>::type;

// How an instruction set without conversions of its own gets along; the others hide these with theirs.
// The arithmetic on floats here touches no denormal float, so a thread that flushes them gets the same bits.
struct Portable {
    template <int n> [[gnu::always_inline]] static Vec<uint32_t, n> widen_bits(Vec<uint16_t, n> x) {
        return convert<uint32_t, uint16_t, n>(x);
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> narrow_bits(Vec<uint32_t, n> x) {
        return convert<uint16_t, uint32_t, n>(x);
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> widen_bytes(Vec<uint8_t, n> x) {
        return convert<uint16_t, uint8_t, n>(x);
    }

    template <int n> [[gnu::always_inline]] static Vec<uint8_t, n> narrow_bytes(Vec<uint16_t, n> x) {
        return convert<uint8_t, uint16_t, n>(x);
    }

    template <int n> [[gnu::always_inline]] static Vec<float, n> float_from_half(Vec<uint16_t, n> half) {
        using U = Vec<uint32_t, n>;
        const U wide = widen_bits<n>(half);
        const U magnitude = (wide & 0x7fffu) << 13;
        const U exponent = magnitude & 0x0f800000u;
        const U rebias = splat<uint32_t, n>(112u << 23);
        // A denormal half is its fraction times 2^-24: put it behind the leading one of 2^-14 and take that off again.
        const U lead = splat<uint32_t, n>(113u << 23);
        const U denormal = bits_as<U>(bits_as<Vec<float, n>>(magnitude + lead) - bits_as<Vec<float, n>>(lead));
        const U normal = magnitude + rebias;
        const U special = normal + rebias;
        const U absolute = select_bits(exponent == 0u, denormal, select_bits(exponent == 0x0f800000u, special, normal));
        return bits_as<Vec<float, n>>(absolute | (wide & 0x8000u) << 16);
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> half_from_float(Vec<float, n> value) {
        using U = Vec<uint32_t, n>;
        const U bits = bits_as<U>(value);
        const U sign = bits & 0x80000000u;
        const U absolute = bits ^ sign;
        // Adding 0.5 makes the unit in the last place 2^-24, that of a denormal half, and rounds to it.
        const U half_one = splat<uint32_t, n>(126u << 23);
        const U denormal = bits_as<U>(bits_as<Vec<float, n>>(absolute) + bits_as<Vec<float, n>>(half_one)) - half_one;
        const U odd = (absolute >> 13) & 1u;
        const U normal = (absolute - (112u << 23) + 0xfffu + odd) >> 13;
        const U infinity = splat<uint32_t, n>(0x7c00);
        const U nan = splat<uint32_t, n>(0x7e00);
        const U special = select_bits(absolute > 0x7f800000u, nan, infinity);
        const U finite = select_bits(absolute < 113u << 23, denormal, normal);
        return narrow_bits<n>(select_bits(absolute >= 143u << 23, special, finite) | sign >> 16);
    }
};

// The lanes hold no NaN but the canonical one (operators.h), which needs no care in the rounding below.
template <class Arch, class T, int n> struct Format {
    [[gnu::always_inline]] static Vec<T, n> load(const void *from, size_t index) {
        return load_raw<T, n>(from, index);
    }
    [[gnu::always_inline]] static void store(void *to, size_t index, Vec<T, n> value) {
        store_raw<T, n>(to, index, value);
    }
};

template <class Arch, int n> struct Format<Arch, Half, n> {
    [[gnu::always_inline]] static Vec<float, n> load(const void *from, size_t index) {
        return Arch::template float_from_half<n>(load_raw<uint16_t, n>(from, index));
    }
    [[gnu::always_inline]] static void store(void *to, size_t index, Vec<float, n> value) {
        store_raw<uint16_t, n>(to, index, Arch::template half_from_float<n>(value));
    }
};

// In the upper halves of the lanes.
template <int n> [[gnu::always_inline]] inline Vec<uint32_t, n> rounded_to_bfloat(Vec<float, n> value) {
    const auto bits = bits_as<Vec<uint32_t, n>>(value);
    return bits + 0x7fffu + ((bits >> 16) & 1u);
}

template <class Arch, int n> struct Format<Arch, Bfloat, n> {
    [[gnu::always_inline]] static Vec<float, n> load(const void *from, size_t index) {
        return bits_as<Vec<float, n>>(Arch::template widen_bits<n>(load_raw<uint16_t, n>(from, index)) << 16);
    }
    [[gnu::always_inline]] static void store(void *to, size_t index, Vec<float, n> value) {
        store_raw<uint16_t, n>(to, index, Arch::template narrow_bits<n>(rounded_to_bfloat<n>(value) >> 16));
    }
};

// The bits of 8-bit floats: rounded to nearest even, finite numbers no further than to the largest one.
template <class T, int n> [[gnu::always_inline]] inline Vec<uint32_t, n> rounded_to_byte(Vec<float, n> value) {
    using I = Vec<int32_t, n>;
    using U = Vec<uint32_t, n>;
    constexpr int shift = 23 - T::fraction_bits;
    constexpr auto smallest_normal = static_cast<int32_t>((128 - T::bias) << 23);
    constexpr int32_t float_infinity = 0x7f800000;
    const U bits = bits_as<U>(value);
    const U sign = bits & 0x80000000u;
    const U magnitude = bits ^ sign;
    const I absolute = bits_as<I>(magnitude); // compared with sign, which AVX2 can do
    // A number whose unit in the last place is that of the denormals: adding it rounds to them.
    const U rounder = splat<uint32_t, n>((128 - T::bias + static_cast<uint32_t>(shift)) << 23);
    const U denormal = bits_as<U>(bits_as<Vec<float, n>>(magnitude) + bits_as<Vec<float, n>>(rounder)) - rounder;
    const U odd = (magnitude >> shift) & 1u;
    const U normal = (magnitude - ((127 - T::bias) << 23) + ((1u << (shift - 1)) - 1) + odd) >> shift;
    const I rounded = bits_as<I>(select_bits(absolute < smallest_normal, denormal, normal));
    const I largest = splat<int32_t, n>(T::largest);
    const I finite = select_bits(rounded > largest, largest, rounded);
    const I infinity = splat<int32_t, n>(T::infinity);
    const I special = select_bits(absolute > float_infinity, splat<int32_t, n>(T::nan), infinity);
    return bits_as<U>(select_bits(absolute < float_infinity, finite, special)) | sign >> 24;
}

// By way of half precision, for which there are instructions.
template <class Arch, int n> struct Format<Arch, E5m2, n> {
    [[gnu::always_inline]] static Vec<float, n> load(const void *from, size_t index) {
        const auto wide = Arch::template widen_bytes<n>(load_raw<uint8_t, n>(from, index));
        return Arch::template float_from_half<n>(static_cast<Vec<uint16_t, n>>(wide << 8));
    }
    [[gnu::always_inline]] static void store(void *to, size_t index, Vec<float, n> value) {
        const auto bits = Arch::template narrow_bits<n>(rounded_to_byte<E5m2, n>(value));
        store_raw<uint8_t, n>(to, index, Arch::template narrow_bytes<n>(bits));
    }
};

template <class Arch, int n> struct Format<Arch, E4m3, n> {
    using Bits = Vec<uint16_t, n>;
    [[gnu::always_inline]] static Vec<float, n> load(const void *from, size_t index) {
        const Bits wide = Arch::template widen_bytes<n>(load_raw<uint8_t, n>(from, index));
        const auto magnitude = static_cast<Bits>(wide & uint16_t{0x7f});
        const auto sign = static_cast<Bits>(static_cast<Bits>(wide ^ magnitude) << 8);
        // A half has one bit of exponent more: the same bits there are 2^-8 of the number.
        const auto shifted = static_cast<Bits>(magnitude << 7);
        const Bits half_nan = splat<uint16_t, n>(0x7e00);
        const Bits half = select_bits(magnitude == uint16_t{0x7f}, half_nan, shifted);
        const auto small = Arch::template float_from_half<n>(static_cast<Bits>(half | sign));
        return small * splat<float, n>(256.0f);
    }
    [[gnu::always_inline]] static void store(void *to, size_t index, Vec<float, n> value) {
        const auto bits = Arch::template narrow_bits<n>(rounded_to_byte<E4m3, n>(value));
        store_raw<uint8_t, n>(to, index, Arch::template narrow_bytes<n>(bits));
    }
};

} // namespace
} // namespace xcoll

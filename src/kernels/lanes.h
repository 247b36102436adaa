// Vectors of n lanes, written once for every instruction set: the compilers' vector extension for n > 1, and the
// element itself for n == 1. Every operation of operators.h is written to mean the same on both.
//
// The headers that begin with this one are compiled once for each instruction set with different flags. All of their
// functions are in an unnamed namespace and none comes from the standard library: otherwise the linker might pick the
// AVX-512 copy of an inline function for a processor without it.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __FAST_MATH__
#error "the kernels promise the same bits everywhere: compile them without -ffast-math"
#endif

namespace xcoll {
namespace {

template <class T, int n> struct VectorOf { using type [[gnu::vector_size(n * sizeof(T))]] = T; };
template <class T> struct VectorOf<T, 1> { using type = T; };
template <class T, int n> using Vec = typename VectorOf<T, n>::type;

// The integers of the same width as T: results of comparisons, and the bits of floating-point numbers.
template <size_t bytes> struct IntegersOf;
template <> struct IntegersOf<1> {
    using Signed = int8_t;
    using Unsigned = uint8_t;
};
template <> struct IntegersOf<2> {
    using Signed = int16_t;
    using Unsigned = uint16_t;
};
template <> struct IntegersOf<4> {
    using Signed = int32_t;
    using Unsigned = uint32_t;
};
template <> struct IntegersOf<8> {
    using Signed = int64_t;
    using Unsigned = uint64_t;
};
template <class T> using Signed = typename IntegersOf<sizeof(T)>::Signed;
template <class T> using Unsigned = typename IntegersOf<sizeof(T)>::Unsigned;

template <class T, class U> inline constexpr bool is_same = false;
template <class T> inline constexpr bool is_same<T, T> = true;

template <class T> inline constexpr bool is_float = false;
template <> inline constexpr bool is_float<float> = true;
template <> inline constexpr bool is_float<double> = true;

template <class T> inline constexpr bool is_signed = T(-1) < T(0);

// Memory at any address and of any type.
template <class T, int n> struct [[gnu::packed, gnu::may_alias]] Cell {
    Vec<T, n> value;
};

template <class T, int n> [[gnu::always_inline]] inline Vec<T, n> load_raw(const void *from, size_t index) {
    return reinterpret_cast<const Cell<T, n> *>(static_cast<const char *>(from) + index * sizeof(T))->value;
}

template <class T, int n> [[gnu::always_inline]] inline void store_raw(void *to, size_t index, Vec<T, n> value) {
    reinterpret_cast<Cell<T, n> *>(static_cast<char *>(to) + index * sizeof(T))->value = value;
}

template <class To, class From> [[gnu::always_inline]] inline To bits_as(From value) {
    return __builtin_bit_cast(To, value);
}

// `mask` is what a comparison gives: a vector of 0 and -1, or a bool.
template <class Mask, class V> [[gnu::always_inline]] inline V select(Mask mask, V yes, V no) {
    return mask ? yes : no;
}

// The same without a branch, which compilers like to make of a choice between single floats.
template <class Mask, class V> [[gnu::always_inline]] inline V select_bits(Mask mask, V yes, V no) {
    if constexpr (is_same<Mask, bool>) {
        return static_cast<V>(no ^ ((yes ^ no) & -static_cast<V>(mask)));
    } else {
        return select(mask, yes, no);
    }
}

// Through the bits, because a sum with a zero vector would lose the sign of -0.
template <class T, int n> [[gnu::always_inline]] inline Vec<T, n> splat(T value) {
    if constexpr (n == 1) {
        return value;
    } else {
        using U = Unsigned<T>;
        return bits_as<Vec<T, n>>(Vec<U, n>{} + bits_as<U>(value));
    }
}

template <class To, class From, int n> [[gnu::always_inline]] inline Vec<To, n> convert(Vec<From, n> value) {
    if constexpr (n == 1) {
        return static_cast<To>(value);
    } else {
        return __builtin_convertvector(value, Vec<To, n>);
    }
}

} // namespace
} // namespace xcoll

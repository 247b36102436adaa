// Data types, inputs and results for the tests of reductions: what the library promises, element by element, in code
// of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "small_floats.h"
#include "xcoll.h"

namespace values {

struct Bool {
    uint8_t byte;
};
template <class R> struct Complex { R real, imaginary; };

template <class T> constexpr bool is_complex = false;
template <class R> constexpr bool is_complex<Complex<R>> = true;
template <class T> constexpr bool is_real = std::is_floating_point_v<T> || is_small<T>;
template <class T>
concept Pair = requires(T pair) {
    pair.index;
};

// ---- what a type is added up in
template <class T> struct AccumulatorOf { using Type = T; };
template <> struct AccumulatorOf<Float16> { using Type = float; };
template <> struct AccumulatorOf<Bfloat16> { using Type = float; };
template <> struct AccumulatorOf<E4m3> { using Type = float; };
template <> struct AccumulatorOf<E5m2> { using Type = float; };
template <> struct AccumulatorOf<Bool> { using Type = uint8_t; };
template <class T> using Accumulator = typename AccumulatorOf<T>::Type;

template <class T> Accumulator<T> lift(T value) {
    if constexpr (is_small<T>) {
        return to_float(value);
    } else if constexpr (std::is_same_v<T, Bool>) {
        return value.byte;
    } else {
        return value;
    }
}
template <class T> T lower(Accumulator<T> value) {
    if constexpr (is_small<T>) {
        T small;
        round_to(value, small);
        return small;
    } else if constexpr (std::is_same_v<T, Bool>) {
        return {value};
    } else {
        return value;
    }
}

// ---- operators
template <class A> A smaller(A a, A b) {
    if constexpr (std::is_floating_point_v<A>) {
        if (std::isnan(a) || std::isnan(b)) {
            return std::numeric_limits<A>::quiet_NaN();
        }
        if (a == b) {
            return std::signbit(a) ? a : b;
        }
    }
    return a < b ? a : b;
}
template <class A> A larger(A a, A b) {
    if constexpr (std::is_floating_point_v<A>) {
        if (std::isnan(a) || std::isnan(b)) {
            return std::numeric_limits<A>::quiet_NaN();
        }
        if (a == b) {
            return std::signbit(a) ? b : a;
        }
    }
    return a > b ? a : b;
}
// Integers wrap; unsigned 64-bit arithmetic does so without undefined behaviour.
template <class A> A combine(xcoll_op_t op, A a, A b) {
    switch (op) {
    case XCOLL_MIN:
        return smaller(a, b);
    case XCOLL_MAX:
        return larger(a, b);
    case XCOLL_LAND:
        return static_cast<A>(a != 0 && b != 0);
    case XCOLL_LOR:
        return static_cast<A>(a != 0 || b != 0);
    case XCOLL_LXOR:
        return static_cast<A>((a != 0) != (b != 0));
    default:
        break;
    }
    if constexpr (std::is_floating_point_v<A>) {
        return op == XCOLL_PROD ? a * b : a + b;
    } else {
        const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
        return static_cast<A>(op == XCOLL_PROD   ? x * y
                              : op == XCOLL_BAND ? x & y
                              : op == XCOLL_BOR  ? x | y
                              : op == XCOLL_BXOR ? x ^ y
                                                 : x + y);
    }
}
template <class R> Complex<R> combine(xcoll_op_t op, Complex<R> a, Complex<R> b) {
    if (op == XCOLL_PROD) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
    return {a.real + b.real, a.imaginary + b.imaginary};
}
template <class V> bool same_number(V a, V b) {
    if constexpr (std::is_floating_point_v<V>) {
        return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
    } else {
        return a == b;
    }
}
template <Pair P> P combine(xcoll_op_t op, P a, P b) {
    const auto best = op == XCOLL_MINLOC ? smaller(a.value, b.value) : larger(a.value, b.value);
    const bool first = same_number(a.value, best), second = same_number(b.value, best);
    P result{};
    result.value = best;
    result.index = first && second ? std::min(a.index, b.index) : first ? a.index : b.index;
    return result;
}
inline bool is_logical(xcoll_op_t op) {
    return op == XCOLL_LAND || op == XCOLL_LOR || op == XCOLL_LXOR;
}

// Each group from its lowest rank to its highest, then the groups' sums; rounded once.
template <class T> T reduce(xcoll_op_t op, const std::vector<T> &inputs, const std::vector<int> &groups) {
    using A = Accumulator<T>;
    const auto join = [op](A a, A b) {
        A joined = combine(op, a, b);
        if constexpr (is_byte_float<T>) {
            if (op == XCOLL_PROD && std::isinf(joined) && std::isfinite(a) && std::isfinite(b)) {
                joined = std::copysign(std::numeric_limits<A>::max(), joined); // what is finite stays so
            }
        }
        return joined;
    };
    A total{};
    size_t at = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
        A sum = lift(inputs[at]);
        if constexpr (std::is_arithmetic_v<A>) {
            sum = is_logical(op) ? static_cast<A>(sum != 0) : sum;
        } else if constexpr (Pair<A>) {
            sum = combine(op, sum, sum); // without what lies beside value and index
        }
        for (int i = 1; i < groups[g]; ++i) {
            sum = join(sum, lift(inputs[at + static_cast<size_t>(i)]));
        }
        total = g == 0 ? sum : join(total, sum);
        at += static_cast<size_t>(groups[g]);
    }
    if (op == XCOLL_AVG) {
        if constexpr (std::is_arithmetic_v<A>) {
            total = static_cast<A>(total / static_cast<A>(inputs.size()));
        } else if constexpr (is_complex<A>) {
            using R = decltype(total.real);
            total = {total.real / static_cast<R>(inputs.size()), total.imaginary / static_cast<R>(inputs.size())};
        }
    }
    if constexpr (std::is_floating_point_v<A>) {
        total = std::isnan(total) ? std::numeric_limits<A>::quiet_NaN() : total; // the only one that is a result
    }
    return lower<T>(total);
}

// ---- inputs
enum class Flavour {
    any,     // all bits of integers; floats for which every order of additions gives other bits
    exact,   // small numbers: no order and no precision matters
    special, // zeros of both signs, infinities, NaN, the smallest and the largest
};

inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}
inline uint64_t random_bits(uint64_t seed, int rank, size_t index) {
    return mix(mix(seed * 1000 + static_cast<uint64_t>(rank) + 1) + index * 0x9e3779b97f4a7c15);
}

template <class T> T sample(Flavour flavour, xcoll_op_t op, uint64_t bits) {
    using A = Accumulator<T>;
    if constexpr (is_complex<T>) {
        using R = decltype(T::real);
        if (flavour == Flavour::exact && op == XCOLL_PROD) {
            const T products[] = {{1, 0}, {1, 2}, {-1, -2}, {1, 2}}; // no power of these has a part that is 0
            return products[bits % 4];
        }
        return {sample<R>(flavour, op, bits), sample<R>(flavour, op, mix(bits))};
    } else if constexpr (Pair<T>) {
        using V = decltype(T::value);
        T pair;
        std::memset(&pair, static_cast<int>(bits >> 56), sizeof pair);
        pair.value = sample<V>(flavour == Flavour::exact ? flavour : Flavour::special, XCOLL_MIN, bits);
        pair.index = static_cast<decltype(T::index)>(mix(bits) % 5) - 2;
        return pair;
    } else if constexpr (std::is_same_v<T, Bool>) {
        return {static_cast<uint8_t>(bits % 3 == 0 ? bits >> 8 : 0)};
    } else if constexpr (std::is_integral_v<T>) {
        if (flavour == Flavour::exact) {
            return static_cast<T>(bits % (op == XCOLL_PROD ? 2 : 9));
        }
        return static_cast<T>(bits % 7 == 0 ? 0 : bits >> 8);
    } else if (flavour == Flavour::exact) {
        const A products[] = {1, 2, A(0.5), -1};
        return lower<T>(op == XCOLL_PROD ? products[bits % 4] : static_cast<A>(bits % 9) - 4);
    } else if (flavour == Flavour::special) {
        using Limits = std::numeric_limits<A>;
        const A specials[] = {0,
                              -A(0),
                              1,
                              -1,
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              Limits::denorm_min(),
                              3,
                              -Limits::quiet_NaN(),
                              0,
                              5,
                              Limits::max(),
                              2,
                              -2,
                              Limits::min()};
        return lower<T>(specials[bits % 16]);
    } else {
        const A fraction = static_cast<A>(static_cast<double>(bits >> 12) / 4503599627370496.0) + A(0.5);
        const A value = std::ldexp(fraction, static_cast<int>(bits % 9) - 4);
        return lower<T>(bits & 512 ? -value : value);
    }
}

// A message repeats this many elements: no power of two, so what lands in a wrong place shows.
constexpr size_t period = 251;
using Tile = std::vector<unsigned char>;

// ---- the same by the number of a type
struct Type {
    xcoll_dtype_t handle;
    const char *name;
    size_t bytes;
    bool floating; // a real number
    bool (*has)(xcoll_op_t op);
    Tile (*input)(Flavour flavour, xcoll_op_t op, uint64_t seed, int rank);
    // By rank.
    Tile (*reduced)(xcoll_op_t op, const std::vector<Tile> &inputs, const std::vector<int> &groups);
    // Bit by bit; in pairs and complex numbers NaN is NaN, and what lies between value and index does not matter.
    bool (*equal)(const unsigned char *a, const unsigned char *b);

    Tile result(Flavour flavour, xcoll_op_t op, uint64_t seed, const std::vector<int> &groups) const {
        std::vector<Tile> inputs;
        for (int rank = 0, ranks = std::accumulate(groups.begin(), groups.end(), 0); rank < ranks; ++rank) {
            inputs.push_back(input(flavour, op, seed, rank));
        }
        return reduced(op, inputs, groups);
    }
};

template <class T> Tile input(Flavour flavour, xcoll_op_t op, uint64_t seed, int rank) {
    Tile tile(period * sizeof(T));
    for (size_t i = 0; i < period; ++i) {
        const T value = sample<T>(flavour, op, random_bits(seed, rank, i));
        std::memcpy(&tile[i * sizeof(T)], &value, sizeof(T));
    }
    return tile;
}

template <class T> Tile reduced(xcoll_op_t op, const std::vector<Tile> &tiles, const std::vector<int> &groups) {
    Tile tile(period * sizeof(T));
    std::vector<T> inputs(tiles.size());
    for (size_t at = 0; at < tile.size(); at += sizeof(T)) {
        for (size_t rank = 0; rank < tiles.size(); ++rank) {
            std::memcpy(&inputs[rank], &tiles[rank][at], sizeof(T));
        }
        const T value = reduce<T>(op, inputs, groups);
        std::memcpy(&tile[at], &value, sizeof(T));
    }
    return tile;
}

template <class T> bool equal(const unsigned char *a, const unsigned char *b) {
    T x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if constexpr (is_complex<T>) {
        return same_number(x.real, y.real) && same_number(x.imaginary, y.imaginary);
    } else if constexpr (Pair<T>) {
        return same_number(x.value, y.value) && x.index == y.index;
    }
    return std::memcmp(a, b, sizeof(T)) == 0;
}

template <class T> bool has(xcoll_op_t op) {
    const bool bitwise = op == XCOLL_BAND || op == XCOLL_BOR || op == XCOLL_BXOR;
    const bool location = op == XCOLL_MINLOC || op == XCOLL_MAXLOC;
    if constexpr (Pair<T>) {
        return location;
    } else if constexpr (is_complex<T>) {
        return op == XCOLL_SUM || op == XCOLL_PROD || op == XCOLL_AVG;
    } else if constexpr (std::is_same_v<T, Bool>) {
        return is_logical(op);
    } else {
        return !location && !(is_real<T> && bitwise);
    }
}

template <class T> constexpr Type type_of(xcoll_dtype_t handle, const char *name) {
    return {handle, name, sizeof(T), is_real<T>, has<T>, input<T>, reduced<T>, equal<T>};
}
constexpr Type types[] = {
    type_of<int8_t>(XCOLL_INT8, "int8"),
    type_of<uint8_t>(XCOLL_UINT8, "uint8"),
    type_of<int16_t>(XCOLL_INT16, "int16"),
    type_of<uint16_t>(XCOLL_UINT16, "uint16"),
    type_of<int32_t>(XCOLL_INT32, "int32"),
    type_of<uint32_t>(XCOLL_UINT32, "uint32"),
    type_of<int64_t>(XCOLL_INT64, "int64"),
    type_of<uint64_t>(XCOLL_UINT64, "uint64"),
    type_of<Float16>(XCOLL_FLOAT16, "float16"),
    type_of<Bfloat16>(XCOLL_BFLOAT16, "bfloat16"),
    type_of<float>(XCOLL_FLOAT32, "float32"),
    type_of<double>(XCOLL_FLOAT64, "float64"),
    type_of<E4m3>(XCOLL_FLOAT8_E4M3, "float8_e4m3"),
    type_of<E5m2>(XCOLL_FLOAT8_E5M2, "float8_e5m2"),
    type_of<Complex<float>>(XCOLL_COMPLEX64, "complex64"),
    type_of<Complex<double>>(XCOLL_COMPLEX128, "complex128"),
    type_of<Bool>(XCOLL_BOOL, "bool"),
    type_of<xcoll_float32_int32_t>(XCOLL_FLOAT32_INT32, "float32_int32"),
    type_of<xcoll_float64_int32_t>(XCOLL_FLOAT64_INT32, "float64_int32"),
    type_of<xcoll_int32_int32_t>(XCOLL_INT32_INT32, "int32_int32"),
    type_of<xcoll_int64_int32_t>(XCOLL_INT64_INT32, "int64_int32"),
    type_of<xcoll_float32_int64_t>(XCOLL_FLOAT32_INT64, "float32_int64"),
    type_of<xcoll_float64_int64_t>(XCOLL_FLOAT64_INT64, "float64_int64"),
    type_of<xcoll_int64_int64_t>(XCOLL_INT64_INT64, "int64_int64"),
};
inline const Type &type(xcoll_dtype_t handle) {
    return *std::find_if(std::begin(types), std::end(types), [=](const Type &t) { return t.handle == handle; });
}
constexpr xcoll_op_t operators[] = {XCOLL_SUM,  XCOLL_PROD, XCOLL_MIN, XCOLL_MAX,  XCOLL_AVG,    XCOLL_LAND,  XCOLL_LOR,
                                    XCOLL_LXOR, XCOLL_BAND, XCOLL_BOR, XCOLL_BXOR, XCOLL_MINLOC, XCOLL_MAXLOC};
inline bool has_operator(const Type &t, xcoll_op_t op) {
    return t.has(op);
}

// ---- whole messages
inline void fill(unsigned char *to, const Tile &tile, size_t bytes) {
    for (size_t at = 0; at < bytes; at += tile.size()) {
        std::memcpy(to + at, tile.data(), std::min(tile.size(), bytes - at));
    }
}
constexpr size_t all_equal = ~size_t{0};
// The first element that differs from the repeated tile.
inline size_t first_difference(const Type &t, const unsigned char *got, const Tile &tile, size_t count) {
    for (size_t first = 0; first < count; first += period) {
        const size_t here = std::min(period, count - first);
        const unsigned char *at = got + first * t.bytes;
        if (std::memcmp(at, tile.data(), here * t.bytes) == 0) {
            continue;
        }
        for (size_t i = 0; i < here; ++i) {
            if (!t.equal(at + i * t.bytes, &tile[i * t.bytes])) {
                return first + i;
            }
        }
    }
    return all_equal;
}

} // namespace values

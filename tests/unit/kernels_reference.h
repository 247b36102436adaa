// What the kernels promise, element by element and as slowly as one likes. Shares no code with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels_small_floats.h"

namespace reference {

using xcoll::Dtype;
using xcoll::Operator;
using xcoll::Stage;

constexpr Dtype all_dtypes[] = {Dtype::int8,        Dtype::uint8,         Dtype::int16,         Dtype::uint16,
                                Dtype::int32,       Dtype::uint32,        Dtype::int64,         Dtype::uint64,
                                Dtype::float16,     Dtype::bfloat16,      Dtype::float32,       Dtype::float64,
                                Dtype::float8_e4m3, Dtype::float8_e5m2,   Dtype::complex64,     Dtype::complex128,
                                Dtype::boolean,     Dtype::float32_int32, Dtype::float64_int32, Dtype::int32_int32,
                                Dtype::int64_int32, Dtype::float32_int64, Dtype::float64_int64, Dtype::int64_int64};
constexpr Operator all_operators[] = {Operator::sum,  Operator::prod,   Operator::min,   Operator::max,  Operator::avg,
                                      Operator::land, Operator::lor,    Operator::lxor,  Operator::band, Operator::bor,
                                      Operator::bxor, Operator::minloc, Operator::maxloc};

// What a pair is made of. The index begins where its own size divides, the rest of 16 bytes is unused.
struct Parts {
    Dtype value;
    Dtype index;
};
inline Parts parts_of(Dtype pair) {
    switch (pair) {
    case Dtype::float32_int32:
        return {Dtype::float32, Dtype::int32};
    case Dtype::float64_int32:
        return {Dtype::float64, Dtype::int32};
    case Dtype::int32_int32:
        return {Dtype::int32, Dtype::int32};
    case Dtype::int64_int32:
        return {Dtype::int64, Dtype::int32};
    case Dtype::float32_int64:
        return {Dtype::float32, Dtype::int64};
    case Dtype::float64_int64:
        return {Dtype::float64, Dtype::int64};
    default:
        return {Dtype::int64, Dtype::int64};
    }
}

inline Dtype type_in(Dtype dtype, Stage stage) {
    return stage == Stage::whole || stage == Stage::lift ? dtype : xcoll::accumulator_of(dtype);
}
inline Dtype type_out(Dtype dtype, Stage stage) {
    return stage == Stage::whole || stage == Stage::lower ? dtype : xcoll::accumulator_of(dtype);
}

template <class To, class From> To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

template <class T> T canonical(T x) {
    if constexpr (sizeof(T) == 4) {
        return std::isnan(x) ? same_bits<T>(0x7fc00000u) : x;
    } else {
        return std::isnan(x) ? same_bits<T>(uint64_t{0x7ff8000000000000}) : x;
    }
}

template <class T> T combine_floats(Operator op, T a, T b) {
    switch (op) {
    case Operator::prod:
        return a * b;
    case Operator::min:
    case Operator::max:
        if (std::isnan(a) || std::isnan(b)) {
            return std::numeric_limits<T>::quiet_NaN();
        }
        if (a == b) {
            return std::signbit(a) == (op == Operator::min) ? a : b;
        }
        return (a < b) == (op == Operator::min) ? a : b;
    case Operator::land:
        return a != 0 && b != 0;
    case Operator::lor:
        return a != 0 || b != 0;
    case Operator::lxor:
        return (a != 0) != (b != 0);
    default:
        return a + b;
    }
}

template <class T> T combine_integers(Operator op, T a, T b) {
    const auto wide_a = static_cast<uint64_t>(a);
    const auto wide_b = static_cast<uint64_t>(b);
    switch (op) {
    case Operator::prod:
        return static_cast<T>(wide_a * wide_b);
    case Operator::min:
        return a < b ? a : b;
    case Operator::max:
        return a < b ? b : a;
    case Operator::land:
        return a != 0 && b != 0;
    case Operator::lor:
        return a != 0 || b != 0;
    case Operator::lxor:
        return (a != 0) != (b != 0);
    case Operator::band:
        return static_cast<T>(wide_a & wide_b);
    case Operator::bor:
        return static_cast<T>(wide_a | wide_b);
    case Operator::bxor:
        return static_cast<T>(wide_a ^ wide_b);
    default:
        return static_cast<T>(wide_a + wide_b);
    }
}

inline bool is_logical(Operator op) {
    return op == Operator::land || op == Operator::lor || op == Operator::lxor;
}

// 8-bit floats: what is finite stays finite.
template <class T> T bounded(T product, T a, T b) {
    const bool beyond = std::isinf(product) && std::isfinite(a) && std::isfinite(b);
    return beyond ? std::copysign(std::numeric_limits<T>::max(), product) : product;
}

template <class T>
T reduce_element(Dtype dtype, Operator op, bool divide, uint32_t divisor, const std::vector<T> &inputs,
                 const std::vector<uint32_t> &groups) {
    constexpr bool floating = !std::numeric_limits<T>::is_integer;
    const auto combine = [&](T a, T b) {
        if constexpr (floating) {
            const T result = combine_floats(op, a, b);
            return xcoll::is_float8(dtype) && op == Operator::prod ? bounded(result, a, b) : result;
        } else {
            return combine_integers(op, a, b);
        }
    };
    size_t next = 0;
    T total{};
    for (size_t group = 0; group < groups.size(); ++group) {
        T sum = inputs[next++];
        if (is_logical(op)) {
            sum = sum != 0;
        }
        for (uint32_t i = 1; i < groups[group]; ++i) {
            sum = combine(sum, inputs[next++]);
        }
        total = group == 0 ? sum : combine(total, sum);
    }
    if constexpr (floating) {
        return canonical(divide ? total / static_cast<T>(divisor) : total);
    } else if constexpr (sizeof(T) == 8) {
        return divide ? total / static_cast<T>(divisor) : total;
    } else {
        return static_cast<T>(divide ? static_cast<int64_t>(total) / static_cast<int64_t>(divisor) : total);
    }
}

inline uint64_t element(const void *data, Dtype dtype, size_t index) {
    const size_t bytes = xcoll::size_of(dtype);
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(data) + index * bytes, bytes);
    return bits;
}

template <class T> T value_of(Dtype dtype, uint64_t bits) {
    if (const SmallFloat *format = small_float(dtype)) {
        return static_cast<T>(to_float(*format, static_cast<uint16_t>(bits)));
    }
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <class T> uint64_t bits_of(Dtype dtype, T value) {
    if (const SmallFloat *format = small_float(dtype)) {
        return from_float(*format, static_cast<float>(value));
    }
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

struct Case {
    Dtype dtype;
    Operator op;
    Stage stage;
    std::vector<uint32_t> groups;
    uint32_t divisor;
};

template <class T> void reduce_as(void *out, const Case &c, const std::vector<const void *> &inputs, size_t count) {
    const Dtype in = type_in(c.dtype, c.stage);
    const Dtype to = type_out(c.dtype, c.stage);
    const bool divide = c.op == Operator::avg && (c.stage == Stage::whole || c.stage == Stage::lower);
    std::vector<T> values(inputs.size());
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < inputs.size(); ++k) {
            values[k] = value_of<T>(in, element(inputs[k], in, i));
        }
        const uint64_t bits = bits_of(to, reduce_element<T>(c.dtype, c.op, divide, c.divisor, values, c.groups));
        std::memcpy(static_cast<char *>(out) + i * xcoll::size_of(to), &bits, xcoll::size_of(to));
    }
}

template <class T> struct Complex {
    T real, imaginary;
    Complex operator*(const Complex &b) const {
        return {real * b.real - imaginary * b.imaginary, real * b.imaginary + imaginary * b.real};
    }
};

template <class T> void write_complex(void *out, size_t at, const Complex<T> &x) {
    const Complex<T> value{canonical(x.real), canonical(x.imaginary)};
    std::memcpy(static_cast<char *>(out) + at * sizeof value, &value, sizeof value);
}

template <class T> T read(const void *from, size_t at) {
    T value;
    std::memcpy(&value, static_cast<const char *>(from) + at * sizeof value, sizeof value);
    return value;
}

// Joins the inputs of one element group by group.
template <class T, class Combine>
T fold(const std::vector<T> &inputs, const std::vector<uint32_t> &groups, Combine combine) {
    size_t next = 0;
    T total{};
    for (size_t group = 0; group < groups.size(); ++group) {
        T sum = inputs[next++];
        for (uint32_t i = 1; i < groups[group]; ++i) {
            sum = combine(sum, inputs[next++]);
        }
        total = group == 0 ? sum : combine(total, sum);
    }
    return total;
}

template <class T>
void multiply_complex(void *out, const Case &c, const std::vector<const void *> &inputs, size_t count) {
    std::vector<Complex<T>> values(inputs.size());
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < inputs.size(); ++k) {
            values[k] = read<Complex<T>>(inputs[k], i);
        }
        write_complex(out, i, fold(values, c.groups, [](auto a, auto b) { return a * b; }));
    }
}

template <class Value, class Index> struct Located {
    Value value;
    Index index;
};

template <class T> bool is_nan_value(T value) {
    if constexpr (std::numeric_limits<T>::is_integer) {
        return false;
    } else {
        return std::isnan(value);
    }
}

// Whether `a` stands before `b`, and not at the same place: -0 before +0.
template <class T> bool is_below(T a, T b) {
    if constexpr (!std::numeric_limits<T>::is_integer) {
        if (a == b) {
            return std::signbit(a) && !std::signbit(b);
        }
    }
    return a < b;
}

template <class Value, class Index>
void locate(void *out, const Case &c, const std::vector<const void *> &inputs, size_t count) {
    using Pair = Located<Value, Index>;
    constexpr size_t index_at = std::max(sizeof(Value), sizeof(Index));
    const size_t bytes = xcoll::size_of(c.dtype);
    const auto better = [&](const Pair &a, const Pair &b) {
        if (is_nan_value(a.value) || is_nan_value(b.value)) {
            return is_nan_value(a.value) && (!is_nan_value(b.value) || a.index < b.index);
        }
        const bool before = c.op == Operator::minloc ? is_below(a.value, b.value) : is_below(b.value, a.value);
        const bool behind = c.op == Operator::minloc ? is_below(b.value, a.value) : is_below(a.value, b.value);
        return before || (!behind && a.index < b.index);
    };
    std::vector<Pair> pairs(inputs.size());
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; k < inputs.size(); ++k) {
            const char *at = static_cast<const char *>(inputs[k]) + i * bytes;
            pairs[k] = {read<Value>(at, 0), read<Index>(at + index_at, 0)};
        }
        Pair best = fold(pairs, c.groups, [&](const Pair &a, const Pair &b) { return better(b, a) ? b : a; });
        if constexpr (!std::numeric_limits<Value>::is_integer) {
            best.value = canonical(best.value);
        }
        char *to = static_cast<char *>(out) + i * bytes;
        std::memset(to, 0, bytes);
        std::memcpy(to, &best.value, sizeof best.value);
        std::memcpy(to + index_at, &best.index, sizeof best.index);
    }
}

inline void reduce(void *out, const Case &c, const std::vector<const void *> &inputs, size_t count) {
    switch (xcoll::accumulator_of(c.dtype)) {
    case Dtype::int8:
        return reduce_as<int8_t>(out, c, inputs, count);
    case Dtype::uint8:
    case Dtype::boolean:
        return reduce_as<uint8_t>(out, c, inputs, count);
    case Dtype::int16:
        return reduce_as<int16_t>(out, c, inputs, count);
    case Dtype::uint16:
        return reduce_as<uint16_t>(out, c, inputs, count);
    case Dtype::int32:
        return reduce_as<int32_t>(out, c, inputs, count);
    case Dtype::uint32:
        return reduce_as<uint32_t>(out, c, inputs, count);
    case Dtype::int64:
        return reduce_as<int64_t>(out, c, inputs, count);
    case Dtype::uint64:
        return reduce_as<uint64_t>(out, c, inputs, count);
    case Dtype::float64:
        return reduce_as<double>(out, c, inputs, count);
    case Dtype::complex64:
    case Dtype::complex128: {
        const bool small = c.dtype == Dtype::complex64;
        if (c.op == Operator::prod) {
            return (small ? multiply_complex<float> : multiply_complex<double>)(out, c, inputs, count);
        }
        const Case parts{small ? Dtype::float32 : Dtype::float64, c.op, c.stage, c.groups, c.divisor};
        return reduce(out, parts, inputs, 2 * count);
    }
    case Dtype::float32_int32:
        return locate<float, int32_t>(out, c, inputs, count);
    case Dtype::float64_int32:
        return locate<double, int32_t>(out, c, inputs, count);
    case Dtype::int32_int32:
        return locate<int32_t, int32_t>(out, c, inputs, count);
    case Dtype::int64_int32:
        return locate<int64_t, int32_t>(out, c, inputs, count);
    case Dtype::float32_int64:
        return locate<float, int64_t>(out, c, inputs, count);
    case Dtype::float64_int64:
        return locate<double, int64_t>(out, c, inputs, count);
    case Dtype::int64_int64:
        return locate<int64_t, int64_t>(out, c, inputs, count);
    default:
        return reduce_as<float>(out, c, inputs, count);
    }
}

// The tables that this machine runs.
inline std::vector<const xcoll::Kernels *> available() {
    std::vector<const xcoll::Kernels *> tables;
    for (const auto isa :
         {xcoll::Isa::plain, xcoll::Isa::avx2, xcoll::Isa::avx512, xcoll::Isa::neon, xcoll::Isa::sve}) {
        if (const xcoll::Kernels *table = xcoll::kernels_for(isa)) {
            tables.push_back(table);
        }
    }
    return tables;
}

// Random numbers that are the same on every run.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 2 + 1) {
    }
    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545f4914f6cdd1dull;
    }
    uint32_t below(uint32_t limit) {
        return static_cast<uint32_t>((next() >> 32) % limit);
    }

private:
    uint64_t state_;
};

} // namespace reference

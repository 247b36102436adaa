// The data types and operators of the library, as small dense numbers for tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "xcoll.h"

namespace xcoll {

// The number in the low byte of a predefined xcoll_dtype_t.
enum class Dtype : uint8_t {
    none = 0,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    float8_e4m3,
    float8_e5m2,
    complex64,
    complex128,
    boolean,
    float32_int32, // pairs of a value and an index
    float64_int32,
    int32_int32,
    int64_int32,
    float32_int64,
    float64_int64,
    int64_int64,
};
inline constexpr int dtype_numbers = 25; // one past the last, for tables indexed by Dtype

// The number in the low byte of a predefined xcoll_op_t.
enum class Operator : uint8_t { none = 0, sum, prod, min, max, avg, land, lor, lxor, band, bor, bxor, minloc, maxloc };
inline constexpr int operator_numbers = 14; // one past the last, for tables indexed by Operator

inline constexpr uint32_t dtype_range = 0x10000000;
inline constexpr uint32_t operator_range = 0x20000000;

constexpr Dtype dtype_of(xcoll_dtype_t handle) {
    return static_cast<Dtype>(handle & 0xff);
}
constexpr size_t size_of(xcoll_dtype_t handle) {
    return (handle >> 8) & 0xff;
}
// Not inside size_of: g++ would copy it to the stack with each call.
inline constexpr uint8_t dtype_sizes[dtype_numbers] = {0, 1, 1, 2,  2, 4, 4,  8, 8,  2,  2,  4, 8,
                                                       1, 1, 8, 16, 1, 8, 16, 8, 16, 16, 16, 16};
constexpr size_t size_of(Dtype d) {
    return dtype_sizes[static_cast<int>(d)];
}
constexpr xcoll_dtype_t handle_of(Dtype d) {
    return dtype_range | static_cast<uint32_t>(size_of(d)) << 8 | static_cast<uint32_t>(d);
}
inline constexpr auto dtype_handles = [] {
    std::array<xcoll_dtype_t, 256> handles{}; // by the low byte, so that a check is one load
    for (int d = 1; d < dtype_numbers; ++d) {
        handles[static_cast<size_t>(d)] = handle_of(static_cast<Dtype>(d));
    }
    return handles;
}();
// Exactly the predefined handles: range, size byte and number agree.
constexpr bool is_dtype(xcoll_dtype_t handle) {
    return handle != 0 && handle == dtype_handles[handle & 0xff];
}
constexpr Operator operator_of(xcoll_op_t handle) {
    return static_cast<Operator>(handle & 0xff);
}
constexpr bool is_operator(xcoll_op_t handle) {
    return (handle & ~0xffu) == operator_range && (handle & 0xff) > 0 && (handle & 0xff) < operator_numbers;
}

constexpr bool is_float8(Dtype d) {
    return d == Dtype::float8_e4m3 || d == Dtype::float8_e5m2;
}
constexpr bool is_complex(Dtype d) {
    return d == Dtype::complex64 || d == Dtype::complex128;
}
constexpr bool is_pair(Dtype d) {
    return d >= Dtype::float32_int32 && d <= Dtype::int64_int64;
}
// Made of floating-point numbers, alone or in pairs.
constexpr bool is_floating(Dtype d) {
    return (d >= Dtype::float16 && d <= Dtype::complex128) || d == Dtype::float32_int32 || d == Dtype::float64_int32 ||
           d == Dtype::float32_int64 || d == Dtype::float64_int64;
}
// In what a type is added up: floating-point numbers of fewer than 32 bits in float (one rounding at the end),
// everything else in itself.
constexpr Dtype accumulator_of(Dtype d) {
    return d == Dtype::float16 || d == Dtype::bfloat16 || is_float8(d) ? Dtype::float32 : d;
}
inline constexpr size_t largest_accumulator_growth = 4; // 8-bit floats

// The operators of each type as a set of bits, so that a check is one load.
inline constexpr auto operators_of = [] {
    constexpr auto set = [](auto... op) { return static_cast<uint16_t>((0u | ... | (1u << static_cast<int>(op)))); };
    using enum Operator;
    constexpr uint16_t linear = set(sum, prod, avg);
    constexpr uint16_t logical = set(land, lor, lxor);
    std::array<uint16_t, dtype_numbers> sets{};
    for (int number = 1; number < dtype_numbers; ++number) {
        const auto d = static_cast<Dtype>(number);
        uint16_t &operators = sets[static_cast<size_t>(number)];
        if (is_pair(d)) {
            operators = set(minloc, maxloc);
        } else if (d == Dtype::boolean) {
            operators = logical;
        } else if (is_complex(d)) {
            operators = linear;
        } else {
            operators = linear | logical | set(min, max);
            if (!is_floating(d)) {
                operators |= set(band, bor, bxor);
            }
        }
    }
    return sets;
}();
// Whether the operator has a meaning on the type.
constexpr bool has_operator(Dtype d, Operator op) {
    return (operators_of[static_cast<size_t>(d)] >> static_cast<int>(op) & 1) != 0;
}

// "float32", "sum": for messages and the names of tests.
const char *name_of(Dtype d);
const char *name_of(Operator op);

} // namespace xcoll

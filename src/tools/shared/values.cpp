#include "tools/shared/values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace xcoll::perf {

namespace {

using Kind = Type::Kind;

template <class Pair> constexpr Type pair(const char *name, xcoll_dtype_t dtype, int exponent_bits, int mantissa_bits) {
    return {name,
            dtype,
            sizeof(Pair),
            Kind::pair,
            static_cast<uint8_t>(exponent_bits),
            static_cast<uint8_t>(mantissa_bits),
            sizeof(Pair::value),
            offsetof(Pair, index),
            sizeof(Pair::index)};
}

constexpr Type type_table[] = {
    {"int8", XCOLL_INT8, 1, Kind::whole, 0, 0, 0, 0, 0},
    {"uint8", XCOLL_UINT8, 1, Kind::whole, 0, 0, 0, 0, 0},
    {"int16", XCOLL_INT16, 2, Kind::whole, 0, 0, 0, 0, 0},
    {"uint16", XCOLL_UINT16, 2, Kind::whole, 0, 0, 0, 0, 0},
    {"int32", XCOLL_INT32, 4, Kind::whole, 0, 0, 0, 0, 0},
    {"uint32", XCOLL_UINT32, 4, Kind::whole, 0, 0, 0, 0, 0},
    {"int64", XCOLL_INT64, 8, Kind::whole, 0, 0, 0, 0, 0},
    {"uint64", XCOLL_UINT64, 8, Kind::whole, 0, 0, 0, 0, 0},
    {"float16", XCOLL_FLOAT16, 2, Kind::real, 5, 10, 2, 0, 0},
    {"bfloat16", XCOLL_BFLOAT16, 2, Kind::real, 8, 7, 2, 0, 0},
    {"float32", XCOLL_FLOAT32, 4, Kind::real, 8, 23, 4, 0, 0},
    {"float64", XCOLL_FLOAT64, 8, Kind::real, 11, 52, 8, 0, 0},
    {"float8_e4m3", XCOLL_FLOAT8_E4M3, 1, Kind::real, 4, 3, 1, 0, 0},
    {"float8_e5m2", XCOLL_FLOAT8_E5M2, 1, Kind::real, 5, 2, 1, 0, 0},
    {"complex64", XCOLL_COMPLEX64, 8, Kind::complex, 8, 23, 4, 0, 0},
    {"complex128", XCOLL_COMPLEX128, 16, Kind::complex, 11, 52, 8, 0, 0},
    {"bool", XCOLL_BOOL, 1, Kind::truth, 0, 0, 0, 0, 0},
    pair<xcoll_float32_int32_t>("float32_int32", XCOLL_FLOAT32_INT32, 8, 23),
    pair<xcoll_float64_int32_t>("float64_int32", XCOLL_FLOAT64_INT32, 11, 52),
    pair<xcoll_int32_int32_t>("int32_int32", XCOLL_INT32_INT32, 0, 0),
    pair<xcoll_int64_int32_t>("int64_int32", XCOLL_INT64_INT32, 0, 0),
    pair<xcoll_float32_int64_t>("float32_int64", XCOLL_FLOAT32_INT64, 8, 23),
    pair<xcoll_float64_int64_t>("float64_int64", XCOLL_FLOAT64_INT64, 11, 52),
    pair<xcoll_int64_int64_t>("int64_int64", XCOLL_INT64_INT64, 0, 0),
};

constexpr Reduction reduction_table[] = {
    {"sum", XCOLL_SUM},   {"prod", XCOLL_PROD},     {"min", XCOLL_MIN},       {"max", XCOLL_MAX},   {"avg", XCOLL_AVG},
    {"land", XCOLL_LAND}, {"lor", XCOLL_LOR},       {"lxor", XCOLL_LXOR},     {"band", XCOLL_BAND}, {"bor", XCOLL_BOR},
    {"bxor", XCOLL_BXOR}, {"minloc", XCOLL_MINLOC}, {"maxloc", XCOLL_MAXLOC},
};

template <class Rows> auto find_row(const Rows &rows, std::string_view name) {
    const auto found =
        std::find_if(std::begin(rows), std::end(rows), [&](const auto &row) { return name == row.name; });
    return found == std::end(rows) ? nullptr : found;
}

// The IEEE format of a whole number from 0 on that it can hold.
uint64_t encode(uint64_t value, int exponent_bits, int mantissa_bits) {
    if (value == 0) {
        return 0;
    }
    const int power = static_cast<int>(std::bit_width(value)) - 1;
    const uint64_t bias = (uint64_t{1} << (exponent_bits - 1)) - 1;
    const uint64_t fraction = value - (uint64_t{1} << power);
    const uint64_t mantissa =
        power <= mantissa_bits ? fraction << (mantissa_bits - power) : fraction >> (power - mantissa_bits);
    return (bias + static_cast<uint64_t>(power)) << mantissa_bits | mantissa;
}

constexpr int64_t most = 15; // elements are 0 .. 15 where the type and the operator allow it
// With 0 or 1 for the others, products stay below 2^6, which every type holds.
constexpr int ranks_with_factors = 6;

int64_t pattern(size_t index, int rank) {
    // 31 is prime: no period of a cache line.
    return static_cast<int64_t>((index % 31 * 5 + static_cast<size_t>(rank) * 3) % (most + 1));
}

} // namespace

std::span<const Type> types() {
    return type_table;
}
const Type *find_type(std::string_view name) {
    return find_row(type_table, name);
}
std::span<const Reduction> reductions() {
    return reduction_table;
}
const Reduction *find_reduction(std::string_view name) {
    return find_row(reduction_table, name);
}

// So that the sum over all ranks is exact; with many ranks in a small type only some of them have more than 0.
int64_t Values::largest_element(int rank) const {
    const bool is_real = type_.mantissa_bits > 0;
    const int64_t exact = is_real ? int64_t{2} << std::min<int>(type_.mantissa_bits, 30) : INT8_MAX;
    if (op_ != XCOLL_SUM && op_ != XCOLL_AVG) {
        return std::min(exact, most);
    }
    if (op_ == XCOLL_AVG && is_real) {
        return std::min(exact, most); // added up in float at least
    }
    const int64_t each = exact / ranks_;
    const int64_t stride = (ranks_ + exact - 1) / exact;
    return each > 0 ? std::min(each, most) : (op_ == XCOLL_SUM && rank % stride == 0 ? 1 : 0);
}

int64_t Values::element(size_t index, int rank) const {
    switch (op_) {
    case XCOLL_AVG: // the same on all ranks, so that the average is whole
        return pattern(index, 0) % (largest_element(0) + 1);
    case XCOLL_PROD:
        return rank < ranks_with_factors && pattern(index, rank) % 2 ? 2 : 1;
    case XCOLL_LAND:
    case XCOLL_LOR:
    case XCOLL_LXOR:
        return pattern(index, rank) % 2;
    default:
        return type_.kind == Kind::truth ? pattern(index, rank) % 2
                                         : pattern(index, rank) % (largest_element(rank) + 1);
    }
}

int64_t Values::index_of(size_t index, int rank) const {
    constexpr int rows = 31;
    return static_cast<int64_t>(index % rows) + int64_t{rows} * rank;
}

// What the elements of the ranks first .. end-1 give; holder: whose index a pair has.
int64_t Values::reduced(size_t index, int first, int end, int &holder) const {
    holder = first;
    int64_t result = element(index, first);
    for (int rank = first + 1; rank < end; ++rank) {
        const int64_t value = element(index, rank);
        const bool better = op_ == XCOLL_MINLOC ? value < result : value > result;
        switch (op_) {
        case XCOLL_MIN:
            result = std::min(result, value);
            break;
        case XCOLL_MAX:
            result = std::max(result, value);
            break;
        case XCOLL_MINLOC:
        case XCOLL_MAXLOC:
            holder = better ? rank : holder;
            result = better ? value : result;
            break;
        case XCOLL_PROD:
            result *= value;
            break;
        case XCOLL_LAND:
        case XCOLL_BAND:
            result &= value;
            break;
        case XCOLL_LOR:
        case XCOLL_BOR:
            result |= value;
            break;
        case XCOLL_LXOR:
        case XCOLL_BXOR:
            result ^= value;
            break;
        default:
            result += value;
        }
    }
    return op_ == XCOLL_AVG ? result / (end - first) : result;
}

void Values::put(void *at, int64_t value, int64_t index) const {
    auto *bytes = static_cast<unsigned char *>(at);
    std::memset(bytes, 0, type_.bytes);
    const bool is_real = type_.mantissa_bits > 0;
    const uint64_t bits = is_real ? encode(static_cast<uint64_t>(value), type_.exponent_bits, type_.mantissa_bits)
                                  : static_cast<uint64_t>(value);
    const size_t part = type_.value_bytes > 0 ? type_.value_bytes : type_.bytes;
    std::memcpy(bytes, &bits, part); // little endian, as everything that this library runs on
    if (type_.kind == Kind::complex && op_ != XCOLL_PROD) {
        std::memcpy(bytes + part, &bits, part);
    }
    if (type_.kind == Kind::pair) {
        std::memcpy(bytes + type_.index_at, &index, type_.index_bytes);
    }
}

void Values::fill(void *buffer, size_t count, int rank) const {
    auto *at = static_cast<unsigned char *>(buffer);
    for (size_t i = 0; i < count; ++i, at += type_.bytes) {
        put(at, element(i, rank), index_of(i, rank));
    }
}

size_t Values::wrong(const void *received, const struct span &span) const {
    unsigned char expected[16]; // the largest type
    size_t wrong = 0;
    for (size_t i = 0; i < span.count; ++i) {
        int holder = 0;
        const int64_t value = reduced(span.from + i, span.first, span.end, holder);
        put(expected, value, index_of(span.from + i, holder));
        const auto *found = static_cast<const unsigned char *>(received) + (span.at + i) * type_.bytes;
        wrong += std::memcmp(found, expected, type_.bytes) != 0;
    }
    return wrong;
}

} // namespace xcoll::perf

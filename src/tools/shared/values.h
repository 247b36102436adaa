// What is written into buffers and must come out of them: small whole numbers, chosen so that every result is exact in
// its type, and a plain reference for the reductions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tools/shared/shape.h"
#include "xcoll.h"

namespace xcoll::perf {

struct Type {
    const char *name;
    xcoll_dtype_t dtype;
    size_t bytes;
    enum class Kind : uint8_t { whole, real, complex, truth, pair } kind;
    uint8_t exponent_bits, mantissa_bits; // of real and complex, and of a pair's value if that is real
    uint8_t value_bytes;                  // of one part of a complex number, and of a pair's value
    uint8_t index_at, index_bytes;        // of a pair
};
std::span<const Type> types();
const Type *find_type(std::string_view name);

struct Reduction {
    const char *name;
    xcoll_op_t op;
};
std::span<const Reduction> reductions();
const Reduction *find_reduction(std::string_view name);

class Values {
public:
    // op: 0 for operations that only move data.
    Values(const Type &type, xcoll_op_t op, int ranks) : type_(type), op_(op), ranks_(ranks) {
    }
    // Elements 0 .. count-1 of what `rank` sends.
    void fill(void *buffer, size_t count, int rank) const;
    // Of the elements of a span, how many are not what its ranks' elements give.
    size_t wrong(const void *received, const struct span &span) const;

private:
    int64_t element(size_t index, int rank) const;
    int64_t largest_element(int rank) const;
    int64_t reduced(size_t index, int first, int end, int &holder) const;
    void put(void *at, int64_t value, int64_t index) const;
    int64_t index_of(size_t index, int rank) const;

    const Type &type_;
    xcoll_op_t op_;
    int ranks_;
};

} // namespace xcoll::perf

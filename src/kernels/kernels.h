// The arithmetic and the copies of the library, one table for each instruction set, chosen at run time.
//
// Every table gives the same bits: the same order of additions, no fused multiply-add, no flushing of denormals,
// one rule for NaN and for -0. So ranks on different machines agree, and a test on one machine proves the others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"

namespace xcoll {

// What a reduction reads and writes. T is the type of the user's data, A the type it is added up in
// (accumulator_of(T)); they differ only for floating-point numbers of fewer than 32 bits.
enum class Stage : uint8_t {
    whole, // T in, T out: all inputs in one pass, rounded once
    lift,  // T in, A out: the first level of a hierarchy
    carry, // A in, A out: a middle level
    lower, // A in, T out: the last level, rounded once; divides for avg
};
inline constexpr int stages = 4;

// The inputs of one reduction, in the order in which they are added: each group from left to right, then the groups'
// sums from left to right. One group is the plain order of ranks; a hierarchy computes the same sums group by group
// on different ranks and gets the same bits.
struct Inputs {
    const void *const *data;     // group 0's pointers, then group 1's, ...
    const uint32_t *group_sizes; // each at least 1
    uint32_t groups;             // at least 1
    uint32_t divisor;            // for avg in `whole` and `lower`: the number of ranks; unused otherwise
};

// out may be one of the inputs (the same address); any other overlap is undefined. Pointers may be unaligned.
using ReduceKernel = void (*)(void *out, const Inputs &inputs, size_t count);

// out[i] = *scalar * in[i], all of one type and rounded once; integers wrap. out may be in; any other overlap is
// undefined. Pointers may be unaligned.
using ScaleKernel = void (*)(void *out, const void *in, const void *scalar, size_t count);

// Regions do not overlap. Pointers may be unaligned.
using CopyKernel = void (*)(void *to, const void *from, size_t bytes);

enum class Isa : uint8_t { plain, avx2, avx512, neon, sve };

struct Kernels {
    Isa isa;
    const char *name;                                             // "avx512"
    ReduceKernel reduce[stages][operator_numbers][dtype_numbers]; // nullptr where has_operator() is false
    ScaleKernel scale[dtype_numbers];                             // nullptr where there is no sum
    CopyKernel copy;                                              // vector loads and stores
    CopyKernel copy_stream; // non-temporal stores, finished (fenced) on return; equals copy where there are none
    CopyKernel copy_string; // one instruction that copies; equals copy where there is none

    ReduceKernel reduction(Stage stage, Operator op, Dtype dtype) const {
        return reduce[static_cast<size_t>(stage)][static_cast<size_t>(op)][static_cast<size_t>(dtype)];
    }
};

// The table of an instruction set, or nullptr if this build or this processor does not have it.
const Kernels *kernels_for(Isa isa);
// Whether this processor can send lines on to the cache that all cores share (CLDEMOTE).
bool processor_demotes();
// The best table that this processor runs.
const Kernels &best_kernels();
// "plain", "avx2", ...; false if there is no such name.
bool parse_isa(const char *name, Isa &isa);

} // namespace xcoll

// Reductions element by element, in blocks that stay in the L1 cache: plain loops, which the compiler turns into
// whatever vectors there are. For instruction sets whose vectors have no fixed length, and for rare operators.
//
// No loop both reads an input and writes to out, so that out may be an input and the compiler need not check for it.
// The loops are functions of their own so that the stages share them.
#pragma once

#include "kernels/pass.h"

namespace xcoll {
namespace {

template <class Arch, class In, class Operation>
[[gnu::always_inline]] inline typename Operation::Sum enter_one(const void *from, size_t index) {
    return Operation::enter(Format<Arch, In, 1>::load(from, index));
}

// `pairs`: two inputs are worth a loop of their own.
template <class Arch, class In, class Operation, bool pairs>
[[gnu::noinline]] void collect_block(typename Operation::Sum *sums, const void *const *data, uint32_t size, size_t at,
                                     size_t count) {
    uint32_t input = 1;
    if (pairs && size > 1) {
        for (size_t i = 0; i < count; ++i) {
            sums[i] = Operation::combine(enter_one<Arch, In, Operation>(data[0], at + i),
                                         enter_one<Arch, In, Operation>(data[1], at + i));
        }
        input = 2;
    } else {
        for (size_t i = 0; i < count; ++i) {
            sums[i] = enter_one<Arch, In, Operation>(data[0], at + i);
        }
    }
    for (; input < size; ++input) {
        for (size_t i = 0; i < count; ++i) {
            sums[i] = Operation::combine(sums[i], enter_one<Arch, In, Operation>(data[input], at + i));
        }
    }
}

template <class Operation>
[[gnu::noinline]] void merge_block(typename Operation::Sum *sums, const typename Operation::Sum *part, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        sums[i] = Operation::combine(sums[i], part[i]);
    }
}

template <class Arch, class Out, class Operation>
[[gnu::noinline]] void leave_block(void *out, const typename Operation::Sum *sums, size_t at, size_t count,
                                   typename Operation::Factor factor) {
    for (size_t i = 0; i < count; ++i) {
        Format<Arch, Out, 1>::store(out, at + i, Operation::leave(sums[i], factor));
    }
}

// 8-bit floats take so much code to read and write that all operators share it, at the price of one more trip through
// the L1 cache.
// How many floats at once; where vectors have no fixed length, the compiler finds them.
template <class Arch> constexpr int block_lanes() {
    if constexpr (Arch::fixed_vectors) {
        return Arch::vector_bytes / sizeof(float);
    } else {
        return 1;
    }
}

template <class Arch, class In>
[[gnu::noinline]] void widen_block(float *to, const void *from, size_t at, size_t count) {
    constexpr int n = block_lanes<Arch>();
    size_t i = 0;
    for (; i + n <= count; i += n) {
        store_raw<float, n>(to, i, Format<Arch, In, n>::load(from, at + i));
    }
    for (; n > 1 && i < count; ++i) {
        to[i] = Format<Arch, In, 1>::load(from, at + i);
    }
}

template <class Arch, class Out>
[[gnu::noinline]] void narrow_block(void *to, const float *from, size_t at, size_t count) {
    constexpr int n = block_lanes<Arch>();
    size_t i = 0;
    for (; i + n <= count; i += n) {
        Format<Arch, Out, n>::store(to, at + i, load_raw<float, n>(from, i));
    }
    for (; n > 1 && i < count; ++i) {
        Format<Arch, Out, 1>::store(to, at + i, from[i]);
    }
}

template <class Arch, class In, class Operation, bool pairs, size_t block>
inline void collect(typename Operation::Sum *sums, const void *const *data, uint32_t size, size_t at, size_t count) {
    if constexpr (is_byte_float<In>) {
        float wide[block];
        typename Operation::Sum next[block];
        const void *const from = wide;
        for (uint32_t input = 0; input < size; ++input) {
            widen_block<Arch, In>(wide, data[input], at, count);
            collect_block<Arch, float, Operation, false>(input == 0 ? sums : next, &from, 1, 0, count);
            if (input > 0) {
                merge_block<Operation>(sums, next, count);
            }
        }
    } else {
        collect_block<Arch, In, Operation, pairs>(sums, data, size, at, count);
    }
}

template <class Arch, class Out, class Operation, size_t block>
inline void leave(void *out, const typename Operation::Sum *sums, size_t at, size_t count,
                  typename Operation::Factor factor) {
    if constexpr (is_byte_float<Out>) {
        float wide[block];
        leave_block<Arch, float, Operation>(wide, sums, 0, count, factor);
        narrow_block<Arch, Out>(out, wide, at, count);
    } else {
        leave_block<Arch, Out, Operation>(out, sums, at, count, factor);
    }
}

template <class P, bool pairs> void reduce_blocks(void *out, const Inputs &inputs, size_t count) {
    using Operation = typename P::template Operation<1>;
    using Sum = typename Operation::Sum;
    constexpr size_t block = 4096 / sizeof(Sum);
    Sum sums[block];
    Sum part[block];
    const auto factor = P::factor(inputs);
    for (size_t at = 0; at < count; at += block) {
        const size_t now = count - at < block ? count - at : block;
        const void *const *data = inputs.data;
        Sum *into = sums;
        for (uint32_t group = 0; group < inputs.groups; ++group) {
            const uint32_t size = inputs.group_sizes[group];
            collect<typename P::Arch, typename P::In, Operation, pairs, block>(into, data, size, at, now);
            if (group > 0) {
                merge_block<Operation>(sums, part, now);
            }
            data += size;
            into = part;
        }
        leave<typename P::Arch, typename P::Out, Operation, block>(out, sums, at, now, factor);
    }
}

} // namespace
} // namespace xcoll

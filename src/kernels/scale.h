// Every element times one number: reductions of one input whose result is multiplied on the way out.
#pragma once

#include "kernels/blocks.h"
#include "kernels/operators.h"
#include "kernels/rounding.h"
#include "kernels/vectors.h"

namespace xcoll {
namespace {

template <class P>
[[gnu::always_inline]] inline void scale_blocks(void *out, const void *in, size_t count, typename P::Factor factor) {
    using Operation = typename P::template Operation<1>;
    using Sum = typename Operation::Sum;
    constexpr size_t block = 4096 / sizeof(Sum);
    Sum values[block];
    for (size_t at = 0; at < count; at += block) {
        const size_t now = count - at < block ? count - at : block;
        collect<typename P::Arch, typename P::In, Operation, false, block>(values, &in, 1, at, now);
        leave<typename P::Arch, typename P::Out, Operation, block>(out, values, at, now, factor);
    }
}

template <class Arch, class T> void scale(void *out, const void *in, const void *scalar, size_t count) {
    using P = Pass<Arch, T, T, OpScaled>;
    [[maybe_unused]] const Rounding<T> rounding;
    mark_read(in, count * sizeof(T));
    mark_written(out, count * sizeof(T));
    const typename P::Factor factor = P::template enter<1>(scalar, 0);
    if constexpr (Arch::fixed_vectors) {
        reduce_source<P>(out, Single{in}, count, factor);
    } else {
        scale_blocks<P>(out, in, count, factor);
    }
}

} // namespace
} // namespace xcoll

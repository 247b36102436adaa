// bfloat16 to bfloat16, two neighbours in one lane of 32 bits: the upper one is a float as it lies there, the lower one
// after a shift. So nothing is widened or narrowed, which costs more than the arithmetic.
#pragma once

#include "kernels/vectors.h"

namespace xcoll {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// As Pass, with pairs as the elements.
template <class ArchType, template <class, int> class Op> struct TwinPass {
    using Arch = ArchType;
    using Lane = uint32_t;
    using Out = uint32_t;
    template <int n> using Operation = Op<float, n>;
    template <int n> struct Sum {
        typename Op<float, n>::Sum lower;
        typename Op<float, n>::Sum upper;
    };
    template <int n> using Result = Vec<uint32_t, n>;
    using Factor = typename Op<float, 1>::Factor;
    static constexpr bool slow = Op<float, 1>::slow;
    static constexpr uint32_t upper_half = 0xffff0000u;

    static Factor factor(const Inputs &inputs) {
        return Op<float, 1>::factor(inputs.divisor);
    }
    template <int n> [[gnu::always_inline]] static Sum<n> enter(const void *from, size_t index) {
        const auto pair = load_raw<uint32_t, n>(from, index);
        return {Op<float, n>::enter(bits_as<Vec<float, n>>(pair << 16)),
                Op<float, n>::enter(bits_as<Vec<float, n>>(pair & upper_half))};
    }
    template <int n> [[gnu::always_inline]] static Sum<n> combine(const Sum<n> &a, const Sum<n> &b) {
        return {Op<float, n>::combine(a.lower, b.lower), Op<float, n>::combine(a.upper, b.upper)};
    }
    template <int n> [[gnu::always_inline]] static Result<n> leave(const Sum<n> &sum, const Factor &factor) {
        const auto lower = rounded_to_bfloat<n>(Op<float, n>::leave(sum.lower, factor));
        const auto upper = rounded_to_bfloat<n>(Op<float, n>::leave(sum.upper, factor));
        return lower >> 16 | (upper & upper_half);
    }
    template <int n> [[gnu::always_inline]] static void store(void *to, size_t index, Result<n> result) {
        store_raw<uint32_t, n>(to, index, result);
    }
};

} // namespace
} // namespace xcoll

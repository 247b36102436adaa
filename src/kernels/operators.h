// The operators on lanes: `enter` makes the form in which values are combined from an element, `combine` joins two,
// `leave` makes the result. A is the type of a lane, Sum the form between. `slow` ones gain nothing from more than two
// vectors at once.
//
// NaN: every result that is NaN is the canonical one (quiet, positive, no payload), because which operand's payload
// survives an addition differs between processors and even between two compilations. MIN and MAX give NaN if any
// input is NaN. LAND, LOR and LXOR take NaN as true.
// Everything but the additions, products and divisions themselves is done on the integers behind the numbers, so it
// does not depend on the caller's flushing of denormals.
#pragma once

#include "kernels/lanes.h"

namespace xcoll {
namespace {

template <class A> struct Floating;
template <> struct Floating<float> {
    static constexpr uint32_t nan = 0x7fc00000u;
    static constexpr uint32_t one = 0x3f800000u;
};
template <> struct Floating<double> {
    static constexpr uint64_t nan = 0x7ff8000000000000u;
    static constexpr uint64_t one = 0x3ff0000000000000u;
};

template <class A, int n> [[gnu::always_inline]] inline Vec<A, n> with_canonical_nan(Vec<A, n> x) {
    using U = Vec<Unsigned<A>, n>;
    return bits_as<Vec<A, n>>(select_bits(x == x, bits_as<U>(x), splat<Unsigned<A>, n>(Floating<A>::nan)));
}

// Signed sums are made in unsigned lanes, where they wrap.
template <class A, bool floating = is_float<A>> struct WrappingOf { using type = Unsigned<A>; };
template <class A> struct WrappingOf<A, true> { using type = A; };
template <class A, int n> using Wrapping = Vec<typename WrappingOf<A>::type, n>;

template <class A, int n> [[gnu::always_inline]] inline Vec<A, n> arithmetic_result(Wrapping<A, n> x) {
    if constexpr (is_float<A>) {
        return with_canonical_nan<A, n>(x);
    } else {
        return bits_as<Vec<A, n>>(x);
    }
}

// What `leave` needs besides the sum: made once for a call.
struct Nothing {};

template <class A, int n> struct OpSum {
    using Sum = Wrapping<A, n>;
    using Factor = Nothing;
    static constexpr bool slow = false;
    static Factor factor(uint32_t) {
        return {};
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        return bits_as<Sum>(x);
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        return static_cast<Sum>(a + b);
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        return arithmetic_result<A, n>(a);
    }
};

template <class A, int n> struct OpProd {
    using Sum = Wrapping<A, n>;
    using Factor = Nothing;
    static constexpr bool slow = false;
    static Factor factor(uint32_t) {
        return {};
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        return bits_as<Sum>(x);
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        if constexpr (n == 1 && !is_float<A>) {
            return static_cast<Sum>(uint64_t{a} * b); // two uint16_t alone would be multiplied, and overflow, as int
        } else {
            return a * b;
        }
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        return arithmetic_result<A, n>(a);
    }
};

// Products of 8-bit floats, a few of which are beyond a float: they stay finite as everything finite does there.
template <class A, int n> struct OpBoundedProd : OpProd<A, n> {
    using Sum = Vec<float, n>;
    using Bits = Vec<int32_t, n>;
    static constexpr int32_t infinity = 0x7f800000;
    [[gnu::always_inline]] static Bits magnitude(Sum x) {
        return bits_as<Bits>(x) & 0x7fffffff;
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        const Sum product = a * b;
        const Bits bits = bits_as<Bits>(product);
        const Bits larger = select_bits(magnitude(a) < infinity, magnitude(b), splat<int32_t, n>(infinity));
        const Bits largest = bits ^ (infinity ^ (infinity - 1)); // of infinity: with its sign
        const Bits bounded = select_bits(larger < infinity, largest, bits);
        return bits_as<Sum>(select_bits(magnitude(product) == infinity, bounded, bits));
    }
};

// Averages over a power of two, by a product or a shift: the same bits as the division, several times faster.
template <class A> struct Scale {
    A inverse; // of floating-point numbers
    A bias;    // of integers: what makes the shift of a negative number round towards zero
    int shift;
};

template <class A, int n> struct OpScaledSum : OpSum<A, n> {
    using typename OpSum<A, n>::Sum;
    using Factor = Scale<A>;
    static Factor factor(uint32_t divisor) {
        if constexpr (is_float<A>) {
            return {A{1} / static_cast<A>(divisor), 0, 0};
        } else {
            return {0, static_cast<A>(divisor - 1), __builtin_ctz(divisor)};
        }
    }
    static bool takes(uint32_t divisor) {
        constexpr uint64_t largest = is_float<A> ? uint64_t{1} << 31 : uint64_t{1} << (8 * sizeof(A) - 2);
        return (divisor & (divisor - 1)) == 0 && divisor <= largest;
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum sum, const Factor &f) {
        if constexpr (is_float<A>) {
            return with_canonical_nan<A, n>(sum * splat<A, n>(f.inverse));
        } else {
            const auto x = bits_as<Vec<A, n>>(sum);
            if constexpr (is_signed<A>) {
                const auto sign = static_cast<Vec<A, n>>(x >> (8 * sizeof(A) - 1));
                const auto bias = bits_as<Sum>(static_cast<Vec<A, n>>(sign & splat<A, n>(f.bias)));
                return static_cast<Vec<A, n>>(bits_as<Vec<A, n>>(static_cast<Sum>(sum + bias)) >> f.shift);
            } else {
                return static_cast<Vec<A, n>>(x >> f.shift);
            }
        }
    }
};

// Averages over any other number. Integers are divided one by one.
template <class A, int n> struct OpDividedSum : OpSum<A, n> {
    static_assert(is_float<A> || n == 1);
    using typename OpSum<A, n>::Sum;
    using Factor = uint32_t;
    static Factor factor(uint32_t divisor) {
        return divisor;
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum sum, Factor divisor) {
        if constexpr (is_float<A>) {
            return with_canonical_nan<A, n>(sum / splat<A, n>(static_cast<A>(divisor)));
        } else if constexpr (sizeof(A) == 8) {
            return bits_as<A>(sum) / static_cast<A>(divisor);
        } else {
            // Exact: a quotient that is no integer is 1/divisor away from the next, further than the rounding reaches.
            const double quotient = static_cast<double>(bits_as<A>(sum)) / divisor;
            if constexpr (is_signed<A>) {
                return static_cast<A>(static_cast<int32_t>(quotient));
            } else {
                return static_cast<A>(static_cast<uint32_t>(quotient));
            }
        }
    }
};

// Every element times the same number.
template <class A, int n> struct OpScaled : OpProd<A, n> {
    using Sum = Wrapping<A, n>;
    using Factor = Wrapping<A, 1>;
    [[gnu::always_inline]] static Vec<A, n> leave(Sum x, Factor factor) {
        using Number = typename WrappingOf<A>::type;
        return arithmetic_result<A, n>(OpProd<A, n>::combine(x, splat<Number, n>(factor)));
    }
};

// Floating-point numbers are compared as integers in an order that puts -0 below +0, -inf below all numbers, and NaN
// where it wins: highest for MAX and lowest for MIN.
template <class A, int n, bool highest> struct OpExtreme {
    using Order = Signed<A>;
    using Sum = Vec<A, n>;
    using Factor = Nothing;
    static constexpr bool slow = false;
    static Factor factor(uint32_t) {
        return {};
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        return x;
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        return highest ? select(a > b, a, b) : select(a < b, a, b);
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        return a;
    }
};

template <class A, int n, bool highest> struct OpFloatExtreme {
    using Order = Signed<A>;
    using Sum = Vec<Order, n>;
    using Factor = Nothing;
    static constexpr bool slow = true;
    static constexpr Order all_but_sign = static_cast<Order>(~Unsigned<A>{} >> 1);
    static constexpr Order best = highest ? all_but_sign : static_cast<Order>(~all_but_sign);
    static Factor factor(uint32_t) {
        return {};
    }
    // Its own inverse.
    [[gnu::always_inline]] static Sum reorder(Sum bits) {
        return bits ^ ((bits >> (8 * sizeof(A) - 1)) & splat<Order, n>(all_but_sign));
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        return select(x == x, reorder(bits_as<Sum>(x)), splat<Order, n>(best));
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        return highest ? select(a > b, a, b) : select(a < b, a, b);
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        constexpr auto nan = static_cast<Order>(Floating<A>::nan);
        return bits_as<Vec<A, n>>(select(a == splat<Order, n>(best), splat<Order, n>(nan), reorder(a)));
    }
};

template <class A, bool highest, bool floating = is_float<A>> struct ExtremeOf {
    template <int n> using type = OpExtreme<A, n, highest>;
};
template <class A, bool highest> struct ExtremeOf<A, highest, true> {
    template <int n> using type = OpFloatExtreme<A, n, highest>;
};
template <class A, int n> struct OpMin : ExtremeOf<A, false>::template type<n> {};
template <class A, int n> struct OpMax : ExtremeOf<A, true>::template type<n> {};

enum class Bits { both, any, odd };

template <Bits rule, class V> [[gnu::always_inline]] inline V join_bits(V a, V b) {
    if constexpr (rule == Bits::both) {
        return static_cast<V>(a & b);
    } else if constexpr (rule == Bits::any) {
        return static_cast<V>(a | b);
    } else {
        return static_cast<V>(a ^ b);
    }
}

// True is all bits while it is combined, and one in the type at the end.
template <class A, int n, Bits rule> struct OpLogical {
    using Truth = Signed<A>;
    using Sum = Vec<Truth, n>;
    using Factor = Nothing;
    static constexpr bool slow = false;
    static Factor factor(uint32_t) {
        return {};
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        auto bits = bits_as<Sum>(x);
        if constexpr (is_float<A>) {
            bits &= static_cast<Truth>(~Unsigned<A>{} >> 1); // -0 is as false as +0
        }
        return select(bits == Truth{0}, splat<Truth, n>(0), splat<Truth, n>(-1));
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        return join_bits<rule>(a, b);
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        if constexpr (is_float<A>) {
            return bits_as<Vec<A, n>>(static_cast<Sum>(a & static_cast<Truth>(Floating<A>::one)));
        } else {
            return bits_as<Vec<A, n>>(static_cast<Sum>(a & Truth{1}));
        }
    }
};
template <class A, int n> struct OpLand : OpLogical<A, n, Bits::both> {};
template <class A, int n> struct OpLor : OpLogical<A, n, Bits::any> {};
template <class A, int n> struct OpLxor : OpLogical<A, n, Bits::odd> {};

template <class A, int n, Bits rule> struct OpBitwise {
    using Sum = Vec<A, n>;
    using Factor = Nothing;
    static constexpr bool slow = false;
    static Factor factor(uint32_t) {
        return {};
    }
    [[gnu::always_inline]] static Sum enter(Vec<A, n> x) {
        return x;
    }
    [[gnu::always_inline]] static Sum combine(Sum a, Sum b) {
        return join_bits<rule>(a, b);
    }
    [[gnu::always_inline]] static Vec<A, n> leave(Sum a, Factor) {
        return a;
    }
};
template <class A, int n> struct OpBand : OpBitwise<A, n, Bits::both> {};
template <class A, int n> struct OpBor : OpBitwise<A, n, Bits::any> {};
template <class A, int n> struct OpBxor : OpBitwise<A, n, Bits::odd> {};

} // namespace
} // namespace xcoll

#include "kernels/rare.h"

#include "kernels/blocks.h"
#include "kernels/operators.h"

namespace xcoll {
namespace {

struct Anywhere : Portable {};

// ---- pairs of a value and an index

// Values in the form in which MIN and MAX compare them: as integers, NaN where it wins.
template <class Pair, bool highest> struct OpLocation {
    using Value = decltype(Pair::value);
    using Index = decltype(Pair::index);
    using Extreme = typename ExtremeOf<Value, highest>::template type<1>;
    struct Sum {
        typename Extreme::Sum value;
        Index index;
    };
    using Factor = Nothing;
    static Factor factor(uint32_t) {
        return {};
    }
    static Sum enter(const Pair &pair) {
        return {Extreme::enter(pair.value), pair.index};
    }
    static Sum combine(const Sum &a, const Sum &b) {
        const bool better = highest ? b.value > a.value : b.value < a.value;
        const bool earlier = b.value == a.value && b.index < a.index;
        return better || earlier ? b : a;
    }
    static Pair leave(const Sum &sum, Factor) {
        Pair pair{}; // with zeros between the two
        pair.value = Extreme::leave(sum.value, {});
        pair.index = sum.index;
        return pair;
    }
};
template <class Pair, int> struct OpMinloc : OpLocation<Pair, false> {};
template <class Pair, int> struct OpMaxloc : OpLocation<Pair, true> {};

// ---- complex numbers

template <class Real> struct Complex {
    Real real;
    Real imaginary;
};

template <class Real> Complex<Real> product(Complex<Real> a, Complex<Real> b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

template <class Number, int> struct OpComplexProd {
    using Real = decltype(Number::real);
    using Sum = Number;
    using Factor = Nothing;
    static Factor factor(uint32_t) {
        return {};
    }
    static Sum enter(Number x) {
        return x;
    }
    static Sum combine(Sum a, Sum b) {
        return product(a, b);
    }
    static Number leave(Sum x, Factor) {
        return {with_canonical_nan<Real, 1>(x.real), with_canonical_nan<Real, 1>(x.imaginary)};
    }
};

template <class T, template <class, int> class Op> void reduce_plainly(void *out, const Inputs &inputs, size_t count) {
    using P = Pass<Anywhere, T, T, Op>;
    mark_pass<P>(out, inputs, count);
    reduce_blocks<P, false>(out, inputs, count);
}

} // namespace

template <class Pair, bool highest> void locate(void *out, const Inputs &inputs, size_t count) {
    if constexpr (highest) {
        reduce_plainly<Pair, OpMaxloc>(out, inputs, count);
    } else {
        reduce_plainly<Pair, OpMinloc>(out, inputs, count);
    }
}

template <class Real> void multiply_complex(void *out, const Inputs &inputs, size_t count) {
    reduce_plainly<Complex<Real>, OpComplexProd>(out, inputs, count);
}

template <class Real> void scale_complex(void *out, const void *in, const void *scalar, size_t count) {
    using Number = Complex<Real>;
    mark_read(in, count * sizeof(Number));
    mark_written(out, count * sizeof(Number));
    const auto factor = load_raw<Number, 1>(scalar, 0);
    for (size_t i = 0; i < count; ++i) {
        const auto scaled = product(factor, load_raw<Number, 1>(in, i));
        store_raw<Number, 1>(out, i, OpComplexProd<Number, 1>::leave(scaled, {}));
    }
}

template void locate<xcoll_float32_int32_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_float32_int32_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_float64_int32_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_float64_int32_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_int32_int32_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_int32_int32_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_int64_int32_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_int64_int32_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_float32_int64_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_float32_int64_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_float64_int64_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_float64_int64_t, true>(void *, const Inputs &, size_t);
template void locate<xcoll_int64_int64_t, false>(void *, const Inputs &, size_t);
template void locate<xcoll_int64_int64_t, true>(void *, const Inputs &, size_t);
template void multiply_complex<float>(void *, const Inputs &, size_t);
template void multiply_complex<double>(void *, const Inputs &, size_t);
template void scale_complex<float>(void *, const void *, const void *, size_t);
template void scale_complex<double>(void *, const void *, const void *, size_t);

} // namespace xcoll

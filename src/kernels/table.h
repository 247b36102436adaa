// Builds the table of one instruction set.
#pragma once

#include "kernels/blocks.h"
#include "kernels/copy.h"
#include "kernels/operators.h"
#include "kernels/rare.h"
#include "kernels/rounding.h"
#include "kernels/scale.h"
#include "kernels/tables.h"
#include "kernels/twins.h"
#include "kernels/vectors.h"

namespace xcoll {
namespace {

// How much code an operator is worth.
enum class Use {
    pairs,     // two inputs only
    often,     // with a path of its own for two inputs
    sometimes, // in vectors
    seldom,    // in the compiler's vectors
};

inline bool is_pair(const Inputs &inputs) {
    return inputs.groups == 1 && inputs.group_sizes[0] == 2;
}

template <class P, Use use>
[[gnu::always_inline]] inline void reduce_in_vectors(void *out, const Inputs &inputs, size_t count) {
    if constexpr (use == Use::sometimes) {
        reduce_many<P>(out, inputs, count);
    } else if constexpr (use == Use::pairs) {
        reduce_pair<P>(out, inputs, count);
    } else if (is_pair(inputs)) {
        reduce_pair<P>(out, inputs, count);
    } else {
        reduce_many<P>(out, inputs, count);
    }
}

template <class Arch, class In, class Out, template <class, int> class Op, Use use>
void reduce(void *out, const Inputs &inputs, size_t count) {
    using P = Pass<Arch, In, Out, Op>;
    [[maybe_unused]] const Rounding<In, Out> rounding;
    mark_pass<P>(out, inputs, count);
    if constexpr (use == Use::seldom || !Arch::fixed_vectors) {
        reduce_blocks<P, use != Use::seldom && Arch::pair_loops>(out, inputs, count);
    } else if constexpr (is_same<In, Bfloat> && is_same<Out, Bfloat>) {
        reduce_in_vectors<TwinPass<Arch, Op>, use>(out, inputs, count / 2);
        if (count % 2 != 0) {
            reduce_vectors<P, 1, 1>(out, inputs, count - 1, P::factor(inputs));
        }
    } else {
        reduce_in_vectors<P, use>(out, inputs, count);
    }
}

// The middle of a hierarchy of small floats: nothing but the rounding tells it from that of others.
template <class Arch, template <class, int> class Op, Use use>
void carry_to_nearest(void *out, const Inputs &inputs, size_t count) {
    const ToNearest rounding;
    reduce<Arch, float, float, Op, use>(out, inputs, count);
}

template <class Arch, class T, template <class, int> class Op, Use use> constexpr ReduceKernel carrying() {
    if constexpr (is_small_float<T>) {
        return carry_to_nearest<Arch, Op, use>;
    } else {
        return reduce<Arch, T, T, Op, use>;
    }
}

// With a power of two, two inputs are worth a product or a shift instead of a division.
template <class Arch, class In, class Out> void average(void *out, const Inputs &inputs, size_t count) {
    using A = Accumulator<In>;
    const bool scaled = OpScaledSum<A, 1>::takes(inputs.divisor);
    if constexpr (is_float<A>) {
        if constexpr (is_byte_float<In> || is_byte_float<Out>) {
            reduce<Arch, In, Out, OpDividedSum, Use::seldom>(out, inputs, count);
        } else if (scaled && is_pair(inputs)) {
            reduce<Arch, In, Out, OpScaledSum, Use::pairs>(out, inputs, count);
        } else {
            reduce<Arch, In, Out, OpDividedSum, Use::sometimes>(out, inputs, count);
        }
    } else if (scaled) {
        reduce<Arch, In, Out, OpScaledSum, Use::often>(out, inputs, count);
    } else {
        reduce<Arch, In, Out, OpDividedSum, Use::seldom>(out, inputs, count);
    }
}

// Bits have no type: all widths share one kernel over bytes.
template <class Arch, template <class, int> class Op, size_t bytes>
void reduce_bits(void *out, const Inputs &inputs, size_t count) {
    reduce<Arch, uint8_t, uint8_t, Op, Use::sometimes>(out, inputs, count * bytes);
}

// Complex numbers are added and divided part by part.
template <class Arch, class Real> void add_complex(void *out, const Inputs &inputs, size_t count) {
    reduce<Arch, Real, Real, OpSum, Use::often>(out, inputs, 2 * count);
}
template <class Arch, class Real> void average_complex(void *out, const Inputs &inputs, size_t count) {
    average<Arch, Real, Real>(out, inputs, 2 * count);
}

template <class Arch> class TableOf {
public:
    static constexpr Kernels make() {
        Kernels table{Arch::isa, Arch::name, {}, {}, copy<Arch>, copy<Arch>, copy<Arch>};
        if constexpr (Arch::streams) {
            table.copy_stream = copy_stream<Arch>;
            table.copy_string = copy_string<Arch>;
        }
        set_integer<int8_t>(table, Dtype::int8);
        set_integer<uint8_t>(table, Dtype::uint8);
        set_integer<int16_t>(table, Dtype::int16);
        set_integer<uint16_t>(table, Dtype::uint16);
        set_integer<int32_t>(table, Dtype::int32);
        set_integer<uint32_t>(table, Dtype::uint32);
        set_integer<int64_t>(table, Dtype::int64);
        set_integer<uint64_t>(table, Dtype::uint64);
        set_floating<Half>(table, Dtype::float16);
        set_floating<Bfloat>(table, Dtype::bfloat16);
        set_floating<float>(table, Dtype::float32);
        set_floating<double>(table, Dtype::float64);
        set_byte_float<E4m3>(table, Dtype::float8_e4m3);
        set_byte_float<E5m2>(table, Dtype::float8_e5m2);
        set_complex<float>(table, Dtype::complex64);
        set_complex<double>(table, Dtype::complex128);
        set_logical<uint8_t>(table, Dtype::boolean);
        set_pair<xcoll_float32_int32_t>(table, Dtype::float32_int32);
        set_pair<xcoll_float64_int32_t>(table, Dtype::float64_int32);
        set_pair<xcoll_int32_int32_t>(table, Dtype::int32_int32);
        set_pair<xcoll_int64_int32_t>(table, Dtype::int64_int32);
        set_pair<xcoll_float32_int64_t>(table, Dtype::float32_int64);
        set_pair<xcoll_float64_int64_t>(table, Dtype::float64_int64);
        set_pair<xcoll_int64_int64_t>(table, Dtype::int64_int64);
        return table;
    }

private:
    static constexpr void set(Kernels &table, Dtype dtype, Operator op, Stage stage, ReduceKernel kernel) {
        table.reduce[static_cast<int>(stage)][static_cast<int>(op)][static_cast<int>(dtype)] = kernel;
    }

    static constexpr ReduceKernel get(const Kernels &table, Dtype dtype, Operator op, Stage stage) {
        return table.reduce[static_cast<int>(stage)][static_cast<int>(op)][static_cast<int>(dtype)];
    }

    template <class T, template <class, int> class Op, Use use>
    static constexpr void set(Kernels &table, Dtype dtype, Operator op) {
        using A = Accumulator<T>;
        set(table, dtype, op, Stage::whole, reduce<Arch, T, T, Op, use>);
        set(table, dtype, op, Stage::lift, reduce<Arch, T, A, Op, use>);
        set(table, dtype, op, Stage::carry, carrying<Arch, T, Op, use>());
        set(table, dtype, op, Stage::lower, reduce<Arch, A, T, Op, use>);
    }

    // To be set after the sums, which it shares. They do not depend on the sign of a type, divisions do.
    template <class T> static constexpr void set_average(Kernels &table, Dtype dtype) {
        set(table, dtype, Operator::avg, Stage::lift, get(table, dtype, Operator::sum, Stage::lift));
        set(table, dtype, Operator::avg, Stage::carry, get(table, dtype, Operator::sum, Stage::carry));
        set(table, dtype, Operator::avg, Stage::whole, average<Arch, T, T>);
        set(table, dtype, Operator::avg, Stage::lower, average<Arch, Accumulator<T>, T>);
    }

    template <class T> static constexpr void set_integer(Kernels &table, Dtype dtype) {
        using U = Unsigned<T>;
        set<U, OpSum, Use::often>(table, dtype, Operator::sum);
        set<U, OpProd, Use::sometimes>(table, dtype, Operator::prod);
        set<T, OpMin, Use::often>(table, dtype, Operator::min);
        set<T, OpMax, Use::often>(table, dtype, Operator::max);
        set_average<T>(table, dtype);
        set_logical<U>(table, dtype);
        set_scale<U>(table, dtype);
        set_bitwise<OpBand, sizeof(T)>(table, dtype, Operator::band);
        set_bitwise<OpBor, sizeof(T)>(table, dtype, Operator::bor);
        set_bitwise<OpBxor, sizeof(T)>(table, dtype, Operator::bxor);
    }

    template <template <class, int> class Op, size_t bytes>
    static constexpr void set_bitwise(Kernels &table, Dtype dtype, Operator op) {
        set_all_stages(table, dtype, op, reduce_bits<Arch, Op, bytes>);
    }

    template <class T> static constexpr void set_floating(Kernels &table, Dtype dtype) {
        constexpr Use extreme = sizeof(T) == 2 ? Use::sometimes : Use::often;
        set<T, OpSum, Use::often>(table, dtype, Operator::sum);
        set<T, OpProd, Use::sometimes>(table, dtype, Operator::prod);
        set<T, OpMin, extreme>(table, dtype, Operator::min);
        set<T, OpMax, extreme>(table, dtype, Operator::max);
        set_average<T>(table, dtype);
        set_logical<T>(table, dtype);
        set_scale<T>(table, dtype);
    }

    // Reading and writing them costs so much that blocks cost little more: only sums have code without.
    template <class T> static constexpr void set_byte_float(Kernels &table, Dtype dtype) {
        set<T, OpSum, Use::seldom>(table, dtype, Operator::sum);
        set(table, dtype, Operator::sum, Stage::whole, reduce<Arch, T, T, OpSum, Use::often>);
        set(table, dtype, Operator::sum, Stage::carry, carry_to_nearest<Arch, OpSum, Use::often>);
        set<T, OpBoundedProd, Use::seldom>(table, dtype, Operator::prod);
        set<T, OpMin, Use::seldom>(table, dtype, Operator::min);
        set<T, OpMax, Use::seldom>(table, dtype, Operator::max);
        set_average<T>(table, dtype);
        set_logical<T>(table, dtype);
        set_scale<T>(table, dtype);
    }

    // Truth values are most often bytes; of these, compilers make no vectors by themselves.
    template <class T> static constexpr void set_logical(Kernels &table, Dtype dtype) {
        constexpr Use use = is_same<T, uint8_t> ? Use::sometimes : Use::seldom;
        set<T, OpLand, use>(table, dtype, Operator::land);
        set<T, OpLor, use>(table, dtype, Operator::lor);
        set<T, OpLxor, use>(table, dtype, Operator::lxor);
    }

    template <class T> static constexpr void set_scale(Kernels &table, Dtype dtype) {
        table.scale[static_cast<int>(dtype)] = scale<Arch, T>;
    }

    static constexpr void set_all_stages(Kernels &table, Dtype dtype, Operator op, ReduceKernel kernel) {
        for (int stage = 0; stage < stages; ++stage) {
            set(table, dtype, op, static_cast<Stage>(stage), kernel);
        }
    }

    template <class Real> static constexpr void set_complex(Kernels &table, Dtype dtype) {
        set_all_stages(table, dtype, Operator::sum, add_complex<Arch, Real>);
        set_all_stages(table, dtype, Operator::prod, multiply_complex<Real>);
        set_all_stages(table, dtype, Operator::avg, add_complex<Arch, Real>);
        set(table, dtype, Operator::avg, Stage::whole, average_complex<Arch, Real>);
        set(table, dtype, Operator::avg, Stage::lower, average_complex<Arch, Real>);
        table.scale[static_cast<int>(dtype)] = scale_complex<Real>;
    }

    template <class Pair> static constexpr void set_pair(Kernels &table, Dtype dtype) {
        set_all_stages(table, dtype, Operator::minloc, locate<Pair, false>);
        set_all_stages(table, dtype, Operator::maxloc, locate<Pair, true>);
    }
};

} // namespace
} // namespace xcoll

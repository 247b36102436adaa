// What an operation must give, computed plainly, and inputs that show every wrong order and every wrong rank.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "base/op.h"
#include "coll/grouping.h"
#include "coll/order.h"
#include "fabric/sim/random.h"
#include "kernels/kernels.h"
#include "sim/user_operators.h"

namespace xcoll::sim {

using Bytes = std::vector<unsigned char>;

// Input of a rank: any bits for integers. Floating-point numbers differ in their exponents, so that sums depend on the
// order of additions.
inline void make_input(Bytes &bytes, Dtype dtype, size_t count, uint64_t seed, int rank) {
    bytes.resize(count * size_of(dtype));
    Random random(seed * 1000003 + static_cast<uint64_t>(rank));
    const auto fill = [&]<class T>(T) {
        for (size_t i = 0; i < count; ++i) {
            const uint64_t bits = random.next();
            const auto value = static_cast<T>(static_cast<double>(static_cast<int>(bits & 0xffff) - 0x8000) /
                                              static_cast<double>(1 << (bits >> 16 & 15)));
            std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
        }
    };
    switch (dtype) {
    case Dtype::float32:
        return fill(float{});
    case Dtype::float64:
        return fill(double{});
    case Dtype::float16:
    case Dtype::bfloat16:
        for (size_t i = 0; i < count; ++i) {
            const uint64_t bits = random.next();
            // Normal numbers of both signs with exponents near one.
            const unsigned base = dtype == Dtype::float16 ? 0x3000 : 0x3f00;
            const auto value = static_cast<uint16_t>((base + (bits & 0x7ff)) | (bits >> 16 & 0x8000));
            std::memcpy(bytes.data() + i * 2, &value, 2);
        }
        return;
    default:
        for (size_t at = 0; at < bytes.size(); at += 8) {
            const uint64_t bits = random.next();
            std::memcpy(bytes.data() + at, &bits, std::min<size_t>(8, bytes.size() - at));
        }
    }
}

template <class T> T combine(T a, T b, Operator op) {
    switch (op) {
    case Operator::sum:
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        } else {
            return a + b;
        }
    case Operator::max:
        return std::max(a, b);
    case Operator::min:
        return std::min(a, b);
    default:
        throw std::logic_error("the reference does not know this operator");
    }
}

// Values in the order of coll/tree.h: the first ones in pairs until a power of two is left, then neighbours level by
// level.
template <class T, class Combine> T combine_as_tree(std::vector<T> values, Combine both) {
    const size_t corners = std::bit_floor(values.size()), extra = values.size() - corners;
    std::vector<T> next;
    for (size_t i = 0; i < values.size(); ++i) {
        const bool pair = i < 2 * extra;
        next.push_back(pair ? both(values[i], values[i + 1]) : values[i]);
        i += pair ? 1 : 0;
    }
    while (next.size() > 1) {
        values.swap(next);
        next.clear();
        for (size_t i = 0; i < values.size(); i += 2) {
            next.push_back(both(values[i], values[i + 1]));
        }
    }
    return next[0];
}
// Values group by group.
template <class T, class Combine>
T combine_as_groups(const std::vector<T> &values, const Grouping &grouping, Combine both) {
    T total{};
    for (uint32_t group = 0; group < grouping.groups(); ++group) {
        const int *members = grouping.order.data() + grouping.first[group];
        T sum = values[static_cast<size_t>(members[0])];
        for (uint32_t j = 1; j < grouping.sizes[group]; ++j) {
            sum = both(sum, values[static_cast<size_t>(members[j])]);
        }
        total = group == 0 ? sum : both(total, sum);
    }
    return total;
}

// The order of additions of a communicator.
struct SumOrder {
    Order order;
    const Grouping &grouping;
};

// Element by element.
template <class T> void reduce_plainly(Bytes &out, const std::vector<Bytes> &inputs, const SumOrder &in, Operator op) {
    std::vector<T> values(inputs.size());
    const auto both = [op](T a, T b) { return combine(a, b, op); };
    for (size_t i = 0; i < out.size() / sizeof(T); ++i) {
        for (size_t p = 0; p < inputs.size(); ++p) {
            std::memcpy(&values[p], inputs[p].data() + i * sizeof(T), sizeof(T));
        }
        const T total =
            in.order == Order::tree ? combine_as_tree(values, both) : combine_as_groups(values, in.grouping, both);
        std::memcpy(out.data() + i * sizeof(T), &total, sizeof(T));
    }
}

// Half precision and averages: the plain kernels, which tests/unit holds against an exact reference, two inputs at a
// time, in the accumulator's type, and one more that rounds or divides.
inline void reduce_by_kernels(Bytes &out, const std::vector<Bytes> &inputs, const SumOrder &in, Dtype dtype,
                              Operator op) {
    const size_t count = out.size() / size_of(dtype);
    const auto run = [&](Stage stage, void *to, std::vector<const void *> data) {
        const auto group = static_cast<uint32_t>(data.size());
        kernels_for(Isa::plain)
            ->reduce[static_cast<size_t>(stage)][static_cast<size_t>(op)][static_cast<size_t>(dtype)](
                to, {data.data(), &group, 1, static_cast<uint32_t>(inputs.size())}, count);
    };
    const size_t wide_bytes = count * size_of(accumulator_of(dtype));
    std::vector<Bytes> sums(inputs.size(), Bytes(wide_bytes));
    for (size_t p = 0; p < inputs.size(); ++p) {
        run(Stage::lift, sums[p].data(), {inputs[p].data()});
    }
    const auto both = [&](const Bytes &a, const Bytes &b) {
        Bytes sum(wide_bytes);
        run(Stage::carry, sum.data(), {a.data(), b.data()});
        return sum;
    };
    const Bytes total =
        in.order == Order::tree ? combine_as_tree(sums, both) : combine_as_groups(sums, in.grouping, both);
    run(Stage::lower, out.data(), {total.data()});
}

inline void expected_sum(Bytes &out, const std::vector<Bytes> &inputs, const SumOrder &in, Dtype dtype, Operator op) {
    out.resize(inputs[0].size());
    switch (op == Operator::avg ? Dtype::none : dtype) {
    case Dtype::uint8:
        return reduce_plainly<uint8_t>(out, inputs, in, op);
    case Dtype::int32:
        return reduce_plainly<int32_t>(out, inputs, in, op);
    case Dtype::int64:
        return reduce_plainly<int64_t>(out, inputs, in, op);
    case Dtype::float32:
        return reduce_plainly<float>(out, inputs, in, op);
    case Dtype::float64:
        return reduce_plainly<double>(out, inputs, in, op);
    default:
        return reduce_by_kernels(out, inputs, in, dtype, op);
    }
}

// With an operator of the user's, or without.
inline void expected_reduction(Bytes &out, const std::vector<Bytes> &inputs, const SumOrder &in, Dtype dtype,
                               Operator op, User user) {
    if (user == User::none) {
        expected_sum(out, inputs, in, dtype, op);
        return;
    }
    out = inputs[0];
    for (size_t at = 0; at < out.size(); at += 8) {
        uint64_t result = 0;
        for (size_t p = inputs.size(); p-- > 0;) {
            uint64_t value;
            std::memcpy(&value, inputs[p].data() + at, 8);
            if (user == User::scaled) {
                result += value * static_cast<uint64_t>(factor_of(static_cast<int>(p)));
            } else {
                result = p + 1 == inputs.size() ? value : compose(value, result);
            }
        }
        std::memcpy(out.data() + at, &result, 8);
    }
}

inline bool depends_on_order(Dtype dtype, Operator op) {
    return is_floating(dtype) && op != Operator::min && op != Operator::max;
}

inline double number_at(const Bytes &bytes, Dtype dtype, size_t i) {
    const auto as = [&]<class T>(T value) {
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        return value;
    };
    switch (dtype) {
    case Dtype::float64:
        return as(double{});
    case Dtype::float32:
        return static_cast<double>(as(float{}));
    case Dtype::bfloat16: {
        const uint32_t bits = static_cast<uint32_t>(as(uint16_t{})) << 16;
        return static_cast<double>(std::bit_cast<float>(bits));
    }
    default: { // float16
        const uint16_t bits = as(uint16_t{});
        const int exponent = bits >> 10 & 31;
        const int fraction = bits & 0x3ff;
        const double size = std::ldexp(exponent ? fraction + 1024 : fraction, std::max(exponent, 1) - 25);
        return bits & 0x8000 ? -size : size;
    }
    }
}

// A sum or an average, up to what any order of additions may give.
inline bool is_close(const Bytes &result, const std::vector<Bytes> &inputs, Dtype dtype, Operator op) {
    const auto ranks = static_cast<double>(inputs.size());
    const double share = op == Operator::avg ? ranks : 1;
    const double unit = dtype == Dtype::float64 ? 0x1p-52 : 0x1p-23;
    const double last_rounding = dtype == Dtype::bfloat16 ? 0x1p-8 : dtype == Dtype::float16 ? 0x1p-10 : 0;
    for (size_t i = 0; i < result.size() / size_of(dtype); ++i) {
        double sum = 0, sizes = 0;
        for (const Bytes &input : inputs) {
            const double value = number_at(input, dtype, i);
            sum += value;
            sizes += std::abs(value);
        }
        const double bound = (ranks * unit * sizes + last_rounding * std::abs(sum)) / share + 0x1p-24;
        if (std::abs(number_at(result, dtype, i) - sum / share) > bound) {
            return false;
        }
    }
    return true;
}

} // namespace xcoll::sim

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

// Element by element, group by group.
template <class T>
void reduce_plainly(Bytes &out, const std::vector<Bytes> &inputs, const Grouping &grouping, Operator op) {
    const auto element = [&](int rank, size_t i) {
        T value;
        std::memcpy(&value, inputs[static_cast<size_t>(rank)].data() + i * sizeof(T), sizeof(T));
        return value;
    };
    for (size_t i = 0; i < out.size() / sizeof(T); ++i) {
        T total{};
        for (uint32_t group = 0; group < grouping.groups(); ++group) {
            const uint32_t first = grouping.first[group];
            T sum = element(grouping.order[first], i);
            for (uint32_t j = 1; j < grouping.sizes[group]; ++j) {
                sum = combine(sum, element(grouping.order[first + j], i), op);
            }
            total = group == 0 ? sum : combine(total, sum, op);
        }
        std::memcpy(out.data() + i * sizeof(T), &total, sizeof(T));
    }
}

inline void expected_sum(Bytes &out, const std::vector<Bytes> &inputs, const Grouping &grouping, Dtype dtype,
                         Operator op) {
    out.resize(inputs[0].size());
    switch (op == Operator::avg ? Dtype::none : dtype) {
    case Dtype::uint8:
        return reduce_plainly<uint8_t>(out, inputs, grouping, op);
    case Dtype::int32:
        return reduce_plainly<int32_t>(out, inputs, grouping, op);
    case Dtype::int64:
        return reduce_plainly<int64_t>(out, inputs, grouping, op);
    case Dtype::float32:
        return reduce_plainly<float>(out, inputs, grouping, op);
    case Dtype::float64:
        return reduce_plainly<double>(out, inputs, grouping, op);
    default: {
        // Half precision and averages: the plain kernels, which tests/unit holds against an exact reference.
        std::vector<const void *> data;
        for (const int rank : grouping.order) {
            data.push_back(inputs[static_cast<size_t>(rank)].data());
        }
        const Inputs all{data.data(), grouping.sizes.data(), grouping.groups(), static_cast<uint32_t>(inputs.size())};
        kernels_for(Isa::plain)
            ->reduce[static_cast<size_t>(Stage::whole)][static_cast<size_t>(op)][static_cast<size_t>(dtype)](
                out.data(), all, out.size() / size_of(dtype));
    }
    }
}

// With an operator of the user's, or without.
inline void expected_reduction(Bytes &out, const std::vector<Bytes> &inputs, const Grouping &grouping, Dtype dtype,
                               Operator op, User user) {
    if (user == User::none) {
        expected_sum(out, inputs, grouping, dtype, op);
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

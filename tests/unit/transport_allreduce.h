// What allreduce by messages must give, bit by bit: the plain kernels in the order of additions that the files state.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "transport_ranks.h"

namespace ranks {

inline constexpr Dtype dtypes[] = {Dtype::int8,    Dtype::uint8,    Dtype::int16,   Dtype::uint16,
                                   Dtype::int32,   Dtype::uint32,   Dtype::int64,   Dtype::uint64,
                                   Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64};

inline constexpr Operator operators[] = {Operator::sum,  Operator::prod, Operator::min, Operator::max,
                                         Operator::avg,  Operator::land, Operator::lor, Operator::lxor,
                                         Operator::band, Operator::bor,  Operator::bxor};

using Bytes = std::vector<char>;

// Numbers of many magnitudes, so that sums in another order differ.
inline Bytes numbers(Dtype dtype, size_t count, int rank) {
    Bytes data(count * size_of(dtype));
    std::mt19937 random(static_cast<uint32_t>(rank) * 977 + 5);
    for (size_t i = 0; i < count; ++i) {
        char *at = data.data() + i * size_of(dtype);
        const auto bits = static_cast<uint32_t>(random());
        const double value =
            std::ldexp(static_cast<double>(bits % 4096) - 2048, static_cast<int>(bits >> 12 & 31) - 15);
        if (dtype == Dtype::float64) {
            std::memcpy(at, &value, sizeof value);
        } else if (dtype == Dtype::float32 || dtype == Dtype::bfloat16) {
            const auto single = static_cast<float>(value);
            // A bfloat16 is the upper half of a float.
            const size_t skip = sizeof single - size_of(dtype);
            std::memcpy(at, reinterpret_cast<const char *>(&single) + skip, size_of(dtype));
        } else if (dtype == Dtype::float16) {
            const auto half = static_cast<uint16_t>((bits & 0x83ff) | (10 + (bits >> 16) % 8) << 10); // no NaN
            std::memcpy(at, &half, sizeof half);
        } else {
            const uint64_t integer = bits * 0x9e3779b97f4a7c15;
            std::memcpy(at, &integer, size_of(dtype));
        }
    }
    return data;
}

// out = the kernel of this stage over `inputs`, from left to right.
inline Bytes reduce(Stage stage, Operator op, Dtype dtype, const std::vector<const void *> &inputs, size_t count,
                    int ranks) {
    const bool wide = stage == Stage::lift || stage == Stage::carry;
    Bytes out(count * size_of(wide ? accumulator_of(dtype) : dtype));
    const auto group = static_cast<uint32_t>(inputs.size());
    if (count > 0) {
        kernels_for(Isa::plain)
            ->reduce[static_cast<size_t>(stage)][static_cast<size_t>(op)][static_cast<size_t>(dtype)](
                out.data(), {inputs.data(), &group, 1, static_cast<uint32_t>(ranks)}, count);
    }
    return out;
}

// What the ring computes for block b: from rank b around.
inline Bytes in_ring_order(const std::vector<Bytes> &inputs, size_t b, Operator op, Dtype dtype, size_t count) {
    std::vector<const void *> order;
    for (size_t i = 0; i < inputs.size(); ++i) {
        order.push_back(inputs[(b + i) % inputs.size()].data());
    }
    return reduce(Stage::whole, op, dtype, order, count, static_cast<int>(inputs.size()));
}

// Of a message that is a single piece: the blocks are as equal as possible, the longer ones first.
inline Bytes ring_result(const std::vector<Bytes> &inputs, Operator op, Dtype dtype, size_t count) {
    const size_t ranks = inputs.size(), bytes = size_of(dtype);
    Bytes result(count * bytes);
    size_t first = 0;
    for (size_t b = 0; b < ranks; ++b) {
        const size_t length = count / ranks + (b < count % ranks ? 1 : 0);
        const Bytes all = in_ring_order(inputs, b, op, dtype, count);
        std::copy_n(all.begin() + static_cast<ptrdiff_t>(first * bytes), length * bytes,
                    result.begin() + static_cast<ptrdiff_t>(first * bytes));
        first += length;
    }
    return result;
}

// A balanced tree over the ranks, neighbours first; what is more than a power of two is folded into pairs before.
inline Bytes doubling_result(const std::vector<Bytes> &inputs, Operator op, Dtype dtype, size_t count) {
    const int ranks = static_cast<int>(inputs.size());
    if (ranks == 1) {
        return reduce(Stage::whole, op, dtype, {inputs[0].data()}, count, 1);
    }
    const size_t corners = std::bit_floor(inputs.size()), extra = inputs.size() - corners;
    std::vector<Bytes> sums;
    for (size_t r = 0; r < inputs.size(); ++r) {
        std::vector<const void *> leaf{inputs[r].data()};
        if (r < 2 * extra) {
            leaf.push_back(inputs[++r].data());
        }
        sums.push_back(reduce(Stage::lift, op, dtype, leaf, count, ranks));
    }
    while (sums.size() > 1) {
        std::vector<Bytes> next;
        for (size_t i = 0; i < sums.size(); i += 2) {
            next.push_back(reduce(sums.size() == 2 ? Stage::lower : Stage::carry, op, dtype,
                                  {sums[i].data(), sums[i + 1].data()}, count, ranks));
        }
        sums = next;
    }
    return sums[0];
}

struct Allreduce {
    Algorithm run;
    Bytes (*expected)(const std::vector<Bytes> &, Operator, Dtype, size_t);
};

inline constexpr Allreduce ring{allreduce_ring, ring_result}, doubling{allreduce_doubling, doubling_result};

inline std::vector<Bytes> inputs_of(int ranks, Dtype dtype, size_t count) {
    std::vector<Bytes> inputs;
    for (int r = 0; r < ranks; ++r) {
        inputs.push_back(numbers(dtype, count, r));
    }
    return inputs;
}

// Runs it on all ranks; every rank's result.
inline std::vector<Bytes> run_allreduce(Ranks &r, uint64_t n, Algorithm algorithm, const std::vector<Bytes> &inputs,
                                        Operator op, Dtype dtype, size_t count, bool in_place) {
    std::vector<Bytes> results = in_place ? inputs : std::vector<Bytes>(inputs.size(), Bytes(count * size_of(dtype)));
    const std::vector<Bytes> untouched = inputs;
    All all;
    for (int rank = 0; rank < r.size(); ++rank) {
        const auto i = static_cast<size_t>(rank);
        const void *send = in_place ? results[i].data() : inputs[i].data();
        const Op call = allreduce(send, results[i].data(), count, dtype, op);
        all.emplace_back(r.team(rank), algorithm, call, fingerprint(call), n);
    }
    run(all, static_cast<uint32_t>(n));
    for (const Running &one : all) {
        assert_string_equal(text(one.error()), "");
    }
    assert_true(inputs == untouched);
    return results;
}

inline void check_allreduce(Ranks &r, uint64_t n, const Allreduce &algorithm, Operator op, Dtype dtype, size_t count) {
    const std::vector<Bytes> inputs = inputs_of(r.size(), dtype, count);
    const Bytes expected = algorithm.expected(inputs, op, dtype, count);
    for (const Bytes &result : run_allreduce(r, n, algorithm.run, inputs, op, dtype, count, n % 2 == 0)) {
        assert_true(result == expected);
    }
}

} // namespace ranks

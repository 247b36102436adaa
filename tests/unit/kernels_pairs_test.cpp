// Pairs of a value and an index: what wins, with the structs of the public header.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "kernels_reference.h"

namespace {

using namespace reference;
using xcoll::Inputs;
using xcoll::Kernels;

template <class Pair> Pair best_of(const Kernels &table, Operator op, Dtype dtype, const std::vector<Pair> &pairs) {
    std::vector<const void *> pointers;
    for (const Pair &pair : pairs) {
        pointers.push_back(&pair);
    }
    const auto size = static_cast<uint32_t>(pairs.size());
    const Inputs inputs{pointers.data(), &size, 1, 0};
    Pair best;
    std::memset(&best, 0x5a, sizeof best);
    table.reduce[static_cast<int>(Stage::whole)][static_cast<int>(op)][static_cast<int>(dtype)](&best, inputs, 1);
    return best;
}

// A pair whose unused bytes are not zero.
template <class Pair> Pair pair(decltype(Pair::value) value, int index) {
    Pair result;
    std::memset(&result, 0x77, sizeof result);
    result.value = value;
    result.index = index;
    return result;
}

template <class Pair> void check_order(Dtype dtype) {
    const auto p = [](int value, int index) { return pair<Pair>(static_cast<decltype(Pair::value)>(value), index); };
    for (const Kernels *table : available()) {
        const std::vector<Pair> pairs{p(3, 0), p(-5, 1), p(8, 2), p(-5, 3), p(8, 4)};
        const Pair least = best_of<Pair>(*table, Operator::minloc, dtype, pairs);
        assert_true(least.value == -5 && least.index == 1);
        const Pair most = best_of<Pair>(*table, Operator::maxloc, dtype, pairs);
        assert_true(most.value == 8 && most.index == 2);
        // The order of ranks does not matter, and an index may be negative.
        const Pair lowest = best_of<Pair>(*table, Operator::maxloc, dtype, {p(8, 7), p(8, -3), p(8, 2)});
        assert_true(lowest.value == 8 && lowest.index == -3);
    }
}

void the_best_value_wins_and_of_equals_the_lowest_index(void **) {
    check_order<xcoll_float32_int32_t>(Dtype::float32_int32);
    check_order<xcoll_float64_int32_t>(Dtype::float64_int32);
    check_order<xcoll_int32_int32_t>(Dtype::int32_int32);
    check_order<xcoll_int64_int32_t>(Dtype::int64_int32);
    check_order<xcoll_float32_int64_t>(Dtype::float32_int64);
    check_order<xcoll_float64_int64_t>(Dtype::float64_int64);
    check_order<xcoll_int64_int64_t>(Dtype::int64_int64);
}

template <class Pair> void check_floats(Dtype dtype) {
    using Value = decltype(Pair::value);
    const Value nan = std::numeric_limits<Value>::quiet_NaN();
    const Value infinity = std::numeric_limits<Value>::infinity();
    for (const Kernels *table : available()) {
        for (const Operator op : {Operator::minloc, Operator::maxloc}) {
            const Pair best = best_of<Pair>(*table, op, dtype,
                                            {pair<Pair>(infinity, 0), pair<Pair>(-nan, 9), pair<Pair>(-infinity, 1),
                                             pair<Pair>(nan, 4), pair<Pair>(nan, 6)});
            const Value canonical_nan = canonical(nan);
            assert_memory_equal(&best.value, &canonical_nan, sizeof(Value));
            assert_true(best.index == 4);
        }
        const std::vector<Pair> zeros{pair<Pair>(Value(0), 0), pair<Pair>(-Value(0), 1), pair<Pair>(Value(0), 2)};
        const Pair least = best_of<Pair>(*table, Operator::minloc, dtype, zeros);
        assert_true(std::signbit(least.value) && least.index == 1);
        const Pair most = best_of<Pair>(*table, Operator::maxloc, dtype, {zeros[1], zeros[2], zeros[0]});
        assert_true(!std::signbit(most.value) && most.index == 0);
    }
}

void a_nan_wins_and_minus_zero_is_below_plus_zero(void **) {
    check_floats<xcoll_float32_int32_t>(Dtype::float32_int32);
    check_floats<xcoll_float64_int32_t>(Dtype::float64_int32);
    check_floats<xcoll_float32_int64_t>(Dtype::float32_int64);
    check_floats<xcoll_float64_int64_t>(Dtype::float64_int64);
}

void integers_are_compared_whole(void **) {
    using Pair = xcoll_int64_int64_t;
    constexpr int64_t large = int64_t{1} << 53; // a double could not tell its neighbours
    for (const Kernels *table : available()) {
        const Pair most = best_of<Pair>(*table, Operator::maxloc, Dtype::int64_int64, {{large, 0}, {large + 1, 1}});
        assert_true(most.value == large + 1 && most.index == 1);
        const int64_t lowest = std::numeric_limits<int64_t>::min(), far = int64_t{1} << 40;
        const Pair least =
            best_of<Pair>(*table, Operator::minloc, Dtype::int64_int64, {{lowest, far + 1}, {lowest, far}, {0, 0}});
        assert_true(least.value == lowest && least.index == far);
    }
}

template <class Pair> void check_unused(Dtype dtype) {
    for (const Kernels *table : available()) {
        Pair a = pair<Pair>(1, 5), b = pair<Pair>(1, 5);
        a.unused = -1;
        b.unused = 1;
        for (const auto &pairs : {std::vector<Pair>{a, b}, std::vector<Pair>{b, a}, std::vector<Pair>{a}}) {
            const Pair best = best_of<Pair>(*table, Operator::minloc, dtype, pairs);
            assert_true(best.value == 1 && best.index == 5 && best.unused == 0);
        }
    }
}

void what_is_unused_is_ignored_and_becomes_zero(void **) {
    check_unused<xcoll_float64_int32_t>(Dtype::float64_int32);
    check_unused<xcoll_int64_int32_t>(Dtype::int64_int32);
    check_unused<xcoll_float32_int64_t>(Dtype::float32_int64);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_best_value_wins_and_of_equals_the_lowest_index),
        cmocka_unit_test(a_nan_wins_and_minus_zero_is_below_plus_zero),
        cmocka_unit_test(integers_are_compared_whole),
        cmocka_unit_test(what_is_unused_is_ignored_and_becomes_zero),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

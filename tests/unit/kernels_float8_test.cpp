// 8-bit floats: all values of both formats, all pairs of values, and the floats around every border.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "kernels_reference.h"

namespace {

using namespace reference;
using xcoll::Inputs;
using xcoll::Kernels;

constexpr size_t patterns = 256;
constexpr Dtype formats[] = {Dtype::float8_e4m3, Dtype::float8_e5m2};

void reduce_bytes(const Kernels &table, Stage stage, Operator op, Dtype dtype, void *out,
                  const std::vector<const void *> &data, size_t count, uint32_t divisor = 1) {
    const auto size = static_cast<uint32_t>(data.size());
    const Inputs inputs{data.data(), &size, 1, divisor};
    table.reduce[static_cast<int>(stage)][static_cast<int>(op)][static_cast<int>(dtype)](out, inputs, count);
}

std::vector<uint8_t> all_patterns() {
    std::vector<uint8_t> bits(patterns);
    for (size_t i = 0; i < patterns; ++i) {
        bits[i] = static_cast<uint8_t>(i);
    }
    return bits;
}

// From the tables of the Open Compute Project's specification of 8-bit floating point, revision 1.0.
void the_values_are_those_of_the_standard(void **) {
    const struct {
        Dtype dtype;
        uint8_t bits;
        float value;
    } known[] = {
        {Dtype::float8_e4m3, 0x01, 0x1p-9f},
        {Dtype::float8_e4m3, 0x07, 0.875f * 0x1p-6f},
        {Dtype::float8_e4m3, 0x08, 0x1p-6f},
        {Dtype::float8_e4m3, 0x38, 1},
        {Dtype::float8_e4m3, 0x7e, 448},
        {Dtype::float8_e4m3, 0xfe, -448},
        {Dtype::float8_e4m3, 0x78, 256},
        {Dtype::float8_e5m2, 0x01, 0x1p-16f},
        {Dtype::float8_e5m2, 0x03, 0.75f * 0x1p-14f},
        {Dtype::float8_e5m2, 0x04, 0x1p-14f},
        {Dtype::float8_e5m2, 0x3c, 1},
        {Dtype::float8_e5m2, 0x7b, 57344},
        {Dtype::float8_e5m2, 0xfb, -57344},
        {Dtype::float8_e5m2, 0x7c, INFINITY},
        {Dtype::float8_e5m2, 0xfc, -INFINITY},
        {Dtype::float8_e5m2, 0x80, -0.0f},
    };
    for (const Kernels *table : available()) {
        for (const auto &k : known) {
            float value = 99;
            reduce_bytes(*table, Stage::lift, Operator::sum, k.dtype, &value, {&k.bits}, 1);
            assert_int_equal(same_bits<uint32_t>(value), same_bits<uint32_t>(k.value));
        }
    }
}

void every_value_survives_the_way_to_float_and_back(void **) {
    const auto in = all_patterns();
    for (const Kernels *table : available()) {
        for (const Dtype dtype : formats) {
            const SmallFloat &format = *small_float(dtype);
            std::vector<float> floats(patterns);
            std::vector<uint8_t> back(patterns), whole(patterns);
            reduce_bytes(*table, Stage::lift, Operator::sum, dtype, floats.data(), {in.data()}, patterns);
            reduce_bytes(*table, Stage::lower, Operator::sum, dtype, back.data(), {floats.data()}, patterns);
            reduce_bytes(*table, Stage::whole, Operator::sum, dtype, whole.data(), {in.data()}, patterns);
            for (size_t i = 0; i < patterns; ++i) {
                const uint16_t expected = is_nan(format, in[i]) ? format.nan : in[i];
                const float value = canonical(to_float(format, in[i]));
                assert_int_equal(same_bits<uint32_t>(floats[i]), same_bits<uint32_t>(value));
                assert_int_equal(back[i], expected);
                assert_int_equal(whole[i], expected);
            }
        }
    }
}

// Every value, the middle between it and the next, and their neighbours; and any float.
std::vector<float> floats_of(const SmallFloat &format) {
    std::vector<float> floats;
    for (const uint8_t bits : all_patterns()) {
        const double here = to_float(format, bits);
        const double next = to_float(format, static_cast<uint16_t>(bits + 1));
        for (const double center : {here, (here + next) / 2}) {
            const auto value = static_cast<float>(center);
            const float above = std::nextafter(value, INFINITY), below = std::nextafter(value, -INFINITY);
            floats.insert(floats.end(), {value, above, below});
        }
    }
    Random random(31);
    for (int i = 0; i < 300000; ++i) {
        floats.push_back(same_bits<float>(static_cast<uint32_t>(random.next() >> 32)));
    }
    return floats;
}

void rounding_is_to_nearest_even_and_saturates(void **) {
    for (const Dtype dtype : formats) {
        const SmallFloat &format = *small_float(dtype);
        const auto floats = floats_of(format);
        std::vector<uint8_t> out(floats.size());
        for (const Kernels *table : available()) {
            reduce_bytes(*table, Stage::lower, Operator::sum, dtype, out.data(), {floats.data()}, floats.size());
            for (size_t i = 0; i < floats.size(); ++i) {
                const uint16_t expected = from_float(format, floats[i]);
                if (out[i] != expected) {
                    print_error("%s: %s of %a is %#x, expected %#x\n", table->name, name_of(dtype),
                                static_cast<double>(floats[i]), out[i], expected);
                    fail();
                }
            }
        }
    }
}

void every_pair_of_values_is_joined_right(void **) {
    std::vector<uint8_t> left, right;
    for (const uint8_t a : all_patterns()) {
        for (const uint8_t b : all_patterns()) {
            left.push_back(a);
            right.push_back(b);
        }
    }
    std::vector<uint8_t> out(left.size()), expected(left.size());
    for (const Dtype dtype : formats) {
        for (const Operator op : all_operators) {
            if (!xcoll::has_operator(dtype, op)) {
                continue;
            }
            const std::vector<const void *> inputs{left.data(), right.data()};
            reduce(expected.data(), {dtype, op, Stage::whole, {2}, 2}, inputs, left.size());
            for (const Kernels *table : available()) {
                reduce_bytes(*table, Stage::whole, op, dtype, out.data(), inputs, left.size(), 2);
                for (size_t i = 0; i < left.size(); ++i) {
                    if (out[i] != expected[i]) {
                        print_error("%s: %s of %s: %#x and %#x gave %#x, expected %#x\n", table->name, name_of(op),
                                    name_of(dtype), left[i], right[i], out[i], expected[i]);
                        fail();
                    }
                }
            }
        }
    }
}

uint8_t reduce_values(const Kernels &table, Operator op, Dtype dtype, const std::vector<uint8_t> &values) {
    std::vector<const void *> pointers;
    for (const uint8_t &value : values) {
        pointers.push_back(&value);
    }
    uint8_t out = 0x55;
    reduce_bytes(table, Stage::whole, op, dtype, &out, pointers, 1, static_cast<uint32_t>(values.size()));
    return out;
}

void what_is_finite_stays_finite(void **) {
    for (const Kernels *table : available()) {
        for (const Dtype dtype : formats) {
            const auto largest = static_cast<uint8_t>(small_float(dtype)->largest);
            const auto lowest = static_cast<uint8_t>(largest | 0x80);
            const std::vector<uint8_t> many(40, largest); // a product far beyond a float
            assert_int_equal(reduce_values(*table, Operator::sum, dtype, many), largest);
            assert_int_equal(reduce_values(*table, Operator::avg, dtype, many), largest);
            assert_int_equal(reduce_values(*table, Operator::prod, dtype, many), largest);
            assert_int_equal(reduce_values(*table, Operator::sum, dtype, {lowest, lowest}), lowest);
            std::vector<uint8_t> odd = many;
            odd[39] = lowest;
            assert_int_equal(reduce_values(*table, Operator::prod, dtype, odd), lowest);
            odd[39] = 0;
            assert_int_equal(reduce_values(*table, Operator::prod, dtype, odd), 0);
        }
    }
}

void what_is_infinite_stays_infinite(void **) {
    constexpr uint8_t one = 0x3c, infinity = 0x7c, nan = 0x7e;
    for (const Kernels *table : available()) {
        constexpr Dtype dtype = Dtype::float8_e5m2;
        for (const Operator op : {Operator::sum, Operator::avg, Operator::prod, Operator::max}) {
            assert_int_equal(reduce_values(*table, op, dtype, {one, infinity}), infinity);
        }
        assert_int_equal(reduce_values(*table, Operator::prod, dtype, {one | 0x80, infinity}), infinity | 0x80);
        assert_int_equal(reduce_values(*table, Operator::sum, dtype, {infinity, infinity | 0x80}), nan);
        assert_int_equal(reduce_values(*table, Operator::prod, dtype, {0, infinity}), nan);
    }
}

// 16 + 1 + 1 + 1: in the type itself, every sum would be rounded back to 16.
void sums_are_rounded_once(void **) {
    for (const Kernels *table : available()) {
        for (const Dtype dtype : formats) {
            const auto bits = [&](float value) { return static_cast<uint8_t>(from_float(*small_float(dtype), value)); };
            const uint8_t sum = reduce_values(*table, Operator::sum, dtype, {bits(16), bits(1), bits(1), bits(1)});
            assert_int_equal(sum, bits(20)); // 19 is as far from 18 as from 20, or nearer to 20 than to 16
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_values_are_those_of_the_standard),
        cmocka_unit_test(every_value_survives_the_way_to_float_and_back),
        cmocka_unit_test(rounding_is_to_nearest_even_and_saturates),
        cmocka_unit_test(every_pair_of_values_is_joined_right),
        cmocka_unit_test(what_is_finite_stays_finite),
        cmocka_unit_test(what_is_infinite_stays_infinite),
        cmocka_unit_test(sums_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

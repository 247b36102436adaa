// Half precision: all 65536 values of both formats, and the floats around every border between two of them.
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

constexpr size_t patterns = 65536;

const SmallFloat &format_of(Dtype dtype) {
    return *small_float(dtype);
}

// A reduction of one input converts and does nothing else.
void convert(const Kernels &table, Stage stage, Dtype dtype, void *out, const void *in, size_t count) {
    const uint32_t one = 1;
    const Inputs inputs{&in, &one, 1, 1};
    const auto sum = static_cast<int>(Operator::sum);
    table.reduce[static_cast<int>(stage)][sum][static_cast<int>(dtype)](out, inputs, count);
}

std::vector<uint16_t> all_patterns() {
    std::vector<uint16_t> bits(patterns);
    for (size_t i = 0; i < patterns; ++i) {
        bits[i] = static_cast<uint16_t>(i);
    }
    return bits;
}

void every_half_survives_the_way_to_float_and_back(void **) {
    const auto in = all_patterns();
    for (const Kernels *table : available()) {
        for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
            const SmallFloat &format = format_of(dtype);
            std::vector<float> floats(patterns);
            std::vector<uint16_t> back(patterns);
            std::vector<uint16_t> whole(patterns);
            convert(*table, Stage::lift, dtype, floats.data(), in.data(), patterns);
            convert(*table, Stage::lower, dtype, back.data(), floats.data(), patterns);
            convert(*table, Stage::whole, dtype, whole.data(), in.data(), patterns);
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

// Around every value, around the middle between it and the next, and a few steps away from both. Beyond the largest
// value, the next is what would follow if the exponents went on.
std::vector<float> floats_around_borders(const SmallFloat &format) {
    std::vector<float> floats;
    for (const uint16_t bits : all_patterns()) {
        if ((bits & 0x7fff) > format.largest) {
            continue;
        }
        const bool last = (bits & 0x7fff) == format.largest;
        const double here = to_float(format, bits);
        const double neighbour = to_float(format, static_cast<uint16_t>(last ? bits - 1 : bits + 1));
        const double middle = last ? here + (here - neighbour) / 2 : (here + neighbour) / 2;
        for (const double center : {here, middle}) {
            const auto value = static_cast<float>(center);
            const float inf = std::numeric_limits<float>::infinity();
            const float above = std::nextafter(value, inf);
            const float below = std::nextafter(value, -inf);
            floats.insert(floats.end(), {value, above, below, std::nextafter(above, inf), std::nextafter(below, -inf)});
        }
    }
    return floats;
}

void check_rounding(const Kernels &table, Dtype dtype, const std::vector<float> &floats) {
    std::vector<uint16_t> out(floats.size());
    convert(table, Stage::lower, dtype, out.data(), floats.data(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
        const uint16_t expected = from_float(format_of(dtype), floats[i]);
        if (out[i] != expected) {
            print_error("%s: %s of %a is %#x, expected %#x\n", table.name, name_of(dtype),
                        static_cast<double>(floats[i]), out[i], expected);
            fail();
        }
    }
}

void rounding_is_to_nearest_even_at_every_border(void **) {
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
        const auto floats = floats_around_borders(format_of(dtype));
        for (const Kernels *table : available()) {
            check_rounding(*table, dtype, floats);
        }
    }
}

void rounding_of_any_float_is_the_same_everywhere(void **) {
    Random random(11);
    std::vector<float> floats(300000);
    for (float &value : floats) {
        value = same_bits<float>(static_cast<uint32_t>(random.next() >> 32));
    }
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
        for (const Kernels *table : available()) {
            check_rounding(*table, dtype, floats);
        }
    }
}

// 2048 + 1 is no float16: added up in that type, it would stay there.
void sums_are_rounded_once(void **) {
    const uint16_t large = from_float(half, 2048);
    const uint16_t one = from_float(half, 1);
    const uint16_t values[4] = {large, one, one, one};
    const void *pointers[4] = {&values[0], &values[1], &values[2], &values[3]};
    const uint32_t size = 4;
    const Inputs inputs{pointers, &size, 1, 4};
    const auto sum = static_cast<int>(Operator::sum);
    for (const Kernels *table : available()) {
        uint16_t out = 0;
        table->reduce[static_cast<int>(Stage::whole)][sum][static_cast<int>(Dtype::float16)](&out, inputs, 1);
        assert_int_equal(out, from_float(half, 2052)); // 2051 lies between 2050 and 2052, which is even
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_half_survives_the_way_to_float_and_back),
        cmocka_unit_test(rounding_is_to_nearest_even_at_every_border),
        cmocka_unit_test(rounding_of_any_float_is_the_same_everywhere),
        cmocka_unit_test(sums_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

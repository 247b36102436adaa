// Products of every element with one number, against the reference, bit for bit.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include <cmocka.h>
}

#include "kernels_inputs.h"

namespace {

using namespace reference;
using xcoll::Kernels;

constexpr size_t most = 4500;
constexpr size_t guard = 128;

template <class T> void scale_as(char *out, Dtype dtype, const void *scalar, const void *in, size_t count) {
    const size_t bytes = size_of(dtype);
    const T factor = value_of<T>(dtype, element(scalar, dtype, 0));
    for (size_t i = 0; i < count; ++i) {
        const T value = value_of<T>(dtype, element(in, dtype, i));
        uint64_t bits = 0;
        if constexpr (std::numeric_limits<T>::is_integer) {
            bits = bits_of(dtype, combine_integers(Operator::prod, factor, value));
        } else {
            bits = bits_of(dtype, canonical(factor * value));
        }
        std::memcpy(out + i * bytes, &bits, bytes);
    }
}

template <class T> void scale_complex(char *out, const void *scalar, const void *in, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        write_complex(out, i, read<Complex<T>>(scalar, 0) * read<Complex<T>>(in, i));
    }
}

void expect(char *out, Dtype dtype, const void *scalar, const void *in, size_t count) {
    switch (dtype) {
    case Dtype::complex64:
        return scale_complex<float>(out, scalar, in, count);
    case Dtype::complex128:
        return scale_complex<double>(out, scalar, in, count);
    case Dtype::float64:
        return scale_as<double>(out, dtype, scalar, in, count);
    case Dtype::int8:
        return scale_as<int8_t>(out, dtype, scalar, in, count);
    case Dtype::uint8:
        return scale_as<uint8_t>(out, dtype, scalar, in, count);
    case Dtype::int16:
        return scale_as<int16_t>(out, dtype, scalar, in, count);
    case Dtype::uint16:
        return scale_as<uint16_t>(out, dtype, scalar, in, count);
    case Dtype::int32:
        return scale_as<int32_t>(out, dtype, scalar, in, count);
    case Dtype::uint32:
        return scale_as<uint32_t>(out, dtype, scalar, in, count);
    case Dtype::int64:
        return scale_as<int64_t>(out, dtype, scalar, in, count);
    case Dtype::uint64:
        return scale_as<uint64_t>(out, dtype, scalar, in, count);
    default:
        return scale_as<float>(out, dtype, scalar, in, count);
    }
}

struct Data {
    Data(Dtype type, Random &random)
        : dtype(type), scalar(1 + size_of(type)), in(most * size_of(type)), expected(in.size()) {
        fill(scalar.data() + 1, dtype, 1, random); // at an odd address
        fill(in.data(), dtype, most, random);
        expect(expected.data(), dtype, scalar.data() + 1, in.data(), most);
    }
    Dtype dtype;
    std::vector<char> scalar, in, expected;
};

void check(const Kernels &table, const Data &data, size_t count, bool in_place, Random &random) {
    const size_t bytes = count * size_of(data.dtype);
    std::vector<char> from(bytes + 2 * guard, 0x5a), apart(bytes + 2 * guard, 0x5a);
    char *in = from.data() + random.below(64) + guard / 2;
    char *out = in_place ? in : apart.data() + random.below(64) + guard / 2;
    std::memcpy(in, data.in.data(), bytes);
    table.scale[static_cast<int>(data.dtype)](out, in, data.scalar.data() + 1, count);
    for (size_t i = 0; i < bytes; ++i) {
        if (out[i] != data.expected[i]) {
            print_error("%s: %zu x %s, %s: differs at byte %zu\n", table.name, count, name_of(data.dtype),
                        in_place ? "in place" : "apart", i);
            fail();
        }
    }
    for (ptrdiff_t i = 1; i <= 64; ++i) {
        assert_int_equal(out[-i], 0x5a);
        assert_int_equal(out[static_cast<ptrdiff_t>(bytes) + i - 1], 0x5a);
    }
}

void every_type_is_scaled_to_the_bits_of_the_reference(void **) {
    Random random(21);
    for (const Dtype dtype : all_dtypes) {
        if (!xcoll::has_operator(dtype, Operator::sum)) {
            continue;
        }
        for (int factor = 0; factor < 12; ++factor) {
            const Data data(dtype, random);
            for (const Kernels *table : available()) {
                for (const size_t count : {0u, 1u, 2u, 3u, 5u, 7u, 8u, 15u, 17u, 33u, 64u, 129u, 517u, 4500u}) {
                    check(*table, data, count, false, random);
                    check(*table, data, count, true, random);
                }
            }
        }
    }
}

void what_can_be_added_can_be_scaled(void **) {
    for (const Kernels *table : available()) {
        for (const Dtype dtype : all_dtypes) {
            assert_int_equal(table->scale[static_cast<int>(dtype)] != nullptr,
                             xcoll::has_operator(dtype, Operator::sum));
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_scaled_to_the_bits_of_the_reference),
        cmocka_unit_test(what_can_be_added_can_be_scaled),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

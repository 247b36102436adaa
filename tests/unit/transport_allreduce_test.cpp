// Allreduce by messages: values, and the order of additions.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "transport_allreduce.h"

using namespace ranks;

namespace {

void every_type_with_every_operator(const Allreduce &algorithm) {
    for (const int ranks : {2, 3, 6}) {
        Ranks r(ranks);
        uint64_t n = 0;
        for (const Dtype dtype : dtypes) {
            for (const Operator op : operators) {
                if (has_operator(dtype, op)) {
                    check_allreduce(r, ++n, algorithm, op, dtype, 29);
                }
            }
        }
    }
}

void the_ring_takes_every_type_and_operator(void **) {
    every_type_with_every_operator(ring);
}

void doubling_takes_every_type_and_operator(void **) {
    every_type_with_every_operator(doubling);
}

// Both also show the order of additions: the expected values are added up as the files' headers say.
void any_number_of_ranks_and_elements(const Allreduce &algorithm) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
        Ranks r(ranks);
        uint64_t n = 0;
        for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, static_cast<size_t>(ranks) - 1,
                                   static_cast<size_t>(ranks) + 1, size_t{1000}, size_t{20011}}) {
            for (const Dtype dtype : {Dtype::float16, Dtype::float32}) {
                check_allreduce(r, ++n, algorithm, Operator::sum, dtype, count);
                check_allreduce(r, ++n, algorithm, Operator::avg, dtype, count);
            }
        }
    }
}

void the_ring_takes_any_number_of_ranks_and_elements(void **) {
    any_number_of_ranks_and_elements(ring);
}

void doubling_takes_any_number_of_ranks_and_elements(void **) {
    any_number_of_ranks_and_elements(doubling);
}

// Several pieces go around: each element was added up from some rank around, the same on all ranks.
void long_messages_go_around_the_ring_in_pieces(void **) {
    for (const Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
        for (const int ranks : {2, 3}) {
            Ranks r(ranks);
            const size_t count = 700'001;
            const std::vector<Bytes> inputs = inputs_of(ranks, dtype, count);
            std::vector<Bytes> possible;
            for (size_t b = 0; b < inputs.size(); ++b) {
                possible.push_back(in_ring_order(inputs, b, Operator::sum, dtype, count));
            }
            for (const bool in_place : {false, true}) {
                const std::vector<Bytes> results =
                    run_allreduce(r, in_place ? 2 : 1, allreduce_ring, inputs, Operator::sum, dtype, count, in_place);
                for (const Bytes &result : results) {
                    assert_true(result == results[0]);
                }
                for (size_t i = 0; i < count; ++i) {
                    const size_t at = i * size_of(dtype);
                    assert_true(std::any_of(possible.begin(), possible.end(), [&](const Bytes &one) {
                        return std::memcmp(&one[at], &results[0][at], size_of(dtype)) == 0;
                    }));
                }
            }
        }
    }
}

// 2048 + 1 is 2048 in half precision, 2048 + 1 + 1 + ... in float is not.
void half_precision_is_rounded_once(void **) {
    constexpr uint16_t two_thousand_and_48 = 0x6800, one = 0x3c00, two_thousand_and_52 = 0x6802;
    for (const Algorithm algorithm : {allreduce_ring, allreduce_doubling}) {
        Ranks r(5);
        std::vector<Bytes> inputs;
        for (int rank = 0; rank < 5; ++rank) {
            const uint16_t value = rank == 0 ? two_thousand_and_48 : one;
            Bytes data;
            for (int i = 0; i < 10; ++i) {
                data.insert(data.end(), reinterpret_cast<const char *>(&value),
                            reinterpret_cast<const char *>(&value + 1));
            }
            inputs.push_back(data);
        }
        for (const Bytes &result : run_allreduce(r, 1, algorithm, inputs, Operator::sum, Dtype::float16, 10, false)) {
            for (size_t i = 0; i < 10; ++i) {
                assert_memory_equal(&result[2 * i], &two_thousand_and_52, 2);
            }
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_ring_takes_every_type_and_operator),
        cmocka_unit_test(doubling_takes_every_type_and_operator),
        cmocka_unit_test(the_ring_takes_any_number_of_ranks_and_elements),
        cmocka_unit_test(doubling_takes_any_number_of_ranks_and_elements),
        cmocka_unit_test(long_messages_go_around_the_ring_in_pieces),
        cmocka_unit_test(half_precision_is_rounded_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Every reduction of every table, against the reference and so against each other, bit for bit.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

#include "kernels_inputs.h"

namespace {

using namespace reference;
using xcoll::Inputs;
using xcoll::Kernels;

const Stage all_stages[] = {Stage::whole, Stage::lift, Stage::carry, Stage::lower};
const std::vector<uint32_t> all_shapes[] = {{1},  {2},    {3},    {5},       {8},         {9},
                                            {17}, {1, 1}, {2, 2}, {3, 2, 4}, {1, 8, 1, 7}};
const size_t all_counts[] = {0,  1,  2,  3,  4,   5,   7,   8,   9,   15,  16,   17,  31,
                             33, 63, 64, 65, 100, 127, 129, 255, 300, 517, 1100, 4500};
constexpr size_t most = 4500;
constexpr size_t guard = 128; // bytes around every output

uint32_t total(const std::vector<uint32_t> &groups) {
    uint32_t inputs = 0;
    for (const uint32_t size : groups) {
        inputs += size;
    }
    return inputs;
}

// Inputs at any address, with an expected result of `most` elements.
struct Data {
    Data(const Case &c, Random &random, size_t count) : inputs(total(c.groups)) {
        const Dtype in = type_in(c.dtype, c.stage);
        std::vector<const void *> pointers;
        for (auto &input : inputs) {
            input.resize(count * size_of(in));
            fill(input.data(), in, count, random);
            pointers.push_back(input.data());
        }
        expected.resize(count * size_of(type_out(c.dtype, c.stage)));
        reduce(expected.data(), c, pointers, count);
    }
    std::vector<std::vector<char>> inputs;
    std::vector<char> expected;
};

void describe(const Kernels &table, const Case &c, size_t count, size_t at) {
    print_error("%s: %s of %s, stage %d, %u inputs in %zu groups, divisor %u, count %zu: differs at byte %zu\n",
                table.name, name_of(c.op), name_of(c.dtype), static_cast<int>(c.stage), total(c.groups),
                c.groups.size(), c.divisor, count, at);
}

void assert_same(const Kernels &table, const Case &c, size_t count, const char *seen,
                 const std::vector<char> &expected) {
    const size_t bytes = count * size_of(type_out(c.dtype, c.stage));
    for (size_t i = 0; i < bytes; ++i) {
        if (seen[i] != expected[i]) {
            describe(table, c, count, i);
            fail();
        }
    }
}

void assert_guarded(const Kernels &table, const Case &c, size_t count, const char *out, size_t bytes) {
    for (size_t i = 0; i < guard; ++i) {
        if (out[-1 - static_cast<ptrdiff_t>(i)] != 0x5a || out[bytes + i] != 0x5a) {
            describe(table, c, count, i);
            fail_msg("written outside of the output");
        }
    }
}

void run(const Kernels &table, const Case &c, void *out, const std::vector<const void *> &pointers, size_t count) {
    const Inputs inputs{pointers.data(), c.groups.data(), static_cast<uint32_t>(c.groups.size()), c.divisor};
    table.reduce[static_cast<int>(c.stage)][static_cast<int>(c.op)][static_cast<int>(c.dtype)](out, inputs, count);
}

// Everything at odd addresses; the output elsewhere, or in place of input `alias` if that is not negative.
void check(const Kernels &table, const Case &c, const Data &data, size_t count, int alias, Random &random) {
    const size_t in_bytes = count * size_of(type_in(c.dtype, c.stage));
    const size_t out_bytes = count * size_of(type_out(c.dtype, c.stage));
    std::vector<std::vector<char>> places(data.inputs.size());
    std::vector<const void *> pointers;
    std::vector<char> apart(out_bytes + 2 * guard + 64, 0x5a);
    char *out = apart.data() + guard + random.below(64);
    for (size_t i = 0; i < places.size(); ++i) {
        places[i].assign(in_bytes + 2 * guard + 64, 0x5a);
        char *place = places[i].data() + guard + random.below(64);
        std::memcpy(place, data.inputs[i].data(), in_bytes);
        pointers.push_back(place);
        if (static_cast<int>(i) == alias) {
            out = place;
        }
    }
    run(table, c, out, pointers, count);
    assert_same(table, c, count, out, data.expected);
    assert_guarded(table, c, count, out, out_bytes);
}

void for_all_operators(const std::function<void(Dtype, Operator)> &each) {
    for (const Dtype dtype : all_dtypes) {
        for (const Operator op : all_operators) {
            if (xcoll::has_operator(dtype, op)) {
                each(dtype, op);
            }
        }
    }
}

void every_kernel_gives_the_bits_of_the_reference(void **) {
    Random random(1);
    for_all_operators([&](Dtype dtype, Operator op) {
        for (const Stage stage : all_stages) {
            for (const auto &shape : all_shapes) {
                const Case c{dtype, op, stage, shape, total(shape)};
                const bool large = total(shape) == 3 || total(shape) == 2;
                const size_t limit = large ? most : 1100;
                const Data data(c, random, limit);
                for (const Kernels *table : available()) {
                    for (const size_t count : all_counts) {
                        if (count <= limit) {
                            check(*table, c, data, count, -1, random);
                        }
                    }
                }
            }
        }
    });
}

void every_count_of_a_few_vectors_works(void **) {
    Random random(2);
    for_all_operators([&](Dtype dtype, Operator op) {
        const Case c{dtype, op, Stage::whole, {2}, 2};
        const Data data(c, random, 400);
        for (const Kernels *table : available()) {
            for (size_t count = 0; count <= 400; count += count < 140 ? 1 : 13) {
                check(*table, c, data, count, -1, random);
            }
        }
    });
}

void the_output_may_be_any_input(void **) {
    Random random(3);
    for_all_operators([&](Dtype dtype, Operator op) {
        for (const Stage stage : {Stage::whole, Stage::carry}) {
            for (const std::vector<uint32_t> &shape : {std::vector<uint32_t>{1}, {2}, {3}, {2, 3}}) {
                const Case c{dtype, op, stage, shape, total(shape)};
                const Data data(c, random, 1100);
                for (const Kernels *table : available()) {
                    for (const size_t count : {1u, 6u, 13u, 30u, 70u, 333u, 1100u}) {
                        for (uint32_t alias = 0; alias < total(shape); ++alias) {
                            check(*table, c, data, count, static_cast<int>(alias), random);
                        }
                    }
                }
            }
        }
    });
}

void averages_divide_by_any_number(void **) {
    Random random(4);
    for (const Dtype dtype : all_dtypes) {
        if (!xcoll::has_operator(dtype, Operator::avg)) {
            continue;
        }
        for (const Stage stage : {Stage::whole, Stage::lower}) {
            for (const uint32_t divisor : {1u, 2u, 3u, 4u, 7u, 32u, 64u, 100u, 128u, 256u, 1000u, 16384u, 32768u,
                                           65536u, 1000003u, 0x40000000u, 0x80000000u, 0xffffffffu}) {
                for (const std::vector<uint32_t> &shape : {std::vector<uint32_t>{2}, {3}}) {
                    const Case c{dtype, Operator::avg, stage, shape, divisor};
                    const Data data(c, random, 600);
                    for (const Kernels *table : available()) {
                        check(*table, c, data, 600, -1, random);
                    }
                }
            }
        }
    }
}

void stages_of_a_hierarchy_give_the_bits_of_one_pass(void **) {
    Random random(5);
    constexpr size_t count = 217;
    for_all_operators([&](Dtype dtype, Operator op) {
        const Case whole{dtype, op, Stage::whole, {3, 2, 4}, 9};
        const Data data(whole, random, count);
        for (const Kernels *table : available()) {
            std::vector<std::vector<uint64_t>> lifted(3, std::vector<uint64_t>(2 * count));
            std::vector<const void *> sums;
            size_t next = 0;
            for (size_t group = 0; group < 3; ++group) {
                std::vector<const void *> members;
                for (uint32_t i = 0; i < whole.groups[group]; ++i) {
                    members.push_back(data.inputs[next++].data());
                }
                run(*table, {dtype, op, Stage::lift, {whole.groups[group]}, 0}, lifted[group].data(), members, count);
                sums.push_back(lifted[group].data());
            }
            std::vector<uint64_t> carried(2 * count);
            std::vector<uint64_t> out(2 * count);
            run(*table, {dtype, op, Stage::carry, {2}, 0}, carried.data(), {sums[0], sums[1]}, count);
            run(*table, {dtype, op, Stage::lower, {2}, 9}, out.data(), {carried.data(), sums[2]}, count);
            assert_same(*table, whole, count, reinterpret_cast<char *>(out.data()), data.expected);
        }
    });
}

void no_kernel_reads_outside_of_its_inputs(void **) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    Random random(6);
    std::vector<char *> pages;
    for (int i = 0; i < 3; ++i) {
        void *area = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(area != MAP_FAILED);
        pages.push_back(static_cast<char *>(area) + page);
        assert_int_equal(mprotect(pages.back(), page, PROT_READ | PROT_WRITE), 0);
    }
    for_all_operators([&](Dtype dtype, Operator op) {
        for (const Stage stage : all_stages) {
            const Case c{dtype, op, stage, {3}, 3};
            const Data data(c, random, 100);
            for (const Kernels *table : available()) {
                for (const size_t count : {1u, 2u, 3u, 5u, 9u, 17u, 40u, 100u}) {
                    const size_t bytes = count * size_of(type_in(dtype, stage));
                    for (const bool at_end : {false, true}) {
                        std::vector<const void *> pointers;
                        for (size_t i = 0; i < 3; ++i) {
                            pointers.push_back(
                                std::memcpy(pages[i] + (at_end ? page - bytes : 0), data.inputs[i].data(), bytes));
                        }
                        std::vector<char> out(count * size_of(type_out(dtype, stage)));
                        run(*table, c, out.data(), pointers, count);
                        assert_same(*table, c, count, out.data(), data.expected);
                    }
                }
            }
        }
    });
    for (char *area : pages) {
        munmap(area - page, 3 * page);
    }
}

void tables_have_exactly_the_operators_of_each_type(void **) {
    for (const Kernels *table : available()) {
        for (const Dtype dtype : all_dtypes) {
            for (const Operator op : all_operators) {
                for (const Stage stage : all_stages) {
                    const auto kernel =
                        table->reduce[static_cast<int>(stage)][static_cast<int>(op)][static_cast<int>(dtype)];
                    assert_int_equal(kernel != nullptr, xcoll::has_operator(dtype, op));
                }
            }
        }
    }
}

void tables_are_found_by_name(void **) {
    for (const Kernels *table : available()) {
        xcoll::Isa isa{};
        assert_true(xcoll::parse_isa(table->name, isa));
        assert_int_equal(isa, table->isa);
        assert_ptr_equal(xcoll::kernels_for(isa), table);
    }
    xcoll::Isa isa{};
    assert_false(xcoll::parse_isa("avx", isa));
    assert_false(xcoll::parse_isa("", isa));
    assert_ptr_equal(xcoll::kernels_for(xcoll::best_kernels().isa), &xcoll::best_kernels());
    assert_non_null(xcoll::kernels_for(xcoll::Isa::plain));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_bits_of_the_reference),
        cmocka_unit_test(every_count_of_a_few_vectors_works),
        cmocka_unit_test(the_output_may_be_any_input),
        cmocka_unit_test(averages_divide_by_any_number),
        cmocka_unit_test(stages_of_a_hierarchy_give_the_bits_of_one_pass),
        cmocka_unit_test(no_kernel_reads_outside_of_its_inputs),
        cmocka_unit_test(tables_have_exactly_the_operators_of_each_type),
        cmocka_unit_test(tables_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

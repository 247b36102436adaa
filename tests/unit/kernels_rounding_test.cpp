// Every reduction of every table in a thread that does not round to nearest, or flushes denormal numbers.
#include "cmocka_cpp.h"

#include <cfenv>
#include <cstring>
#include <string>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "kernels_inputs.h"

namespace {

using namespace reference;
using xcoll::Inputs;
using xcoll::Kernels;

const Stage all_stages[] = {Stage::whole, Stage::lift, Stage::carry, Stage::lower};
const int all_modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
constexpr size_t most = 300;
constexpr uint32_t ranks = 3;

class InMode {
public:
    explicit InMode(int mode) : before_(std::fegetround()) {
        assert_int_equal(std::fesetround(mode), 0);
    }
    InMode(const InMode &) = delete;
    InMode &operator=(const InMode &) = delete;
    ~InMode() {
        std::fesetround(before_);
    }

private:
    int before_;
};

// As code that was linked with -ffast-math has it.
class Flushing {
public:
#if defined(__x86_64__)
    static constexpr bool possible = true;
    Flushing() : before_(_mm_getcsr()) {
        _mm_setcsr(static_cast<unsigned>(before_) | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
    }
    ~Flushing() {
        _mm_setcsr(static_cast<unsigned>(before_));
    }
#elif defined(__aarch64__)
    static constexpr bool possible = true;
    Flushing() {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" ::"r"(before_ | 1 << 24) : "memory");
    }
    ~Flushing() {
        asm volatile("msr fpcr, %0" ::"r"(before_) : "memory");
    }
#else
    static constexpr bool possible = false;
    Flushing() = default;
#endif
    Flushing(const Flushing &) = delete;
    Flushing &operator=(const Flushing &) = delete;

private:
    [[maybe_unused]] uint64_t before_ = 0;
};

struct Data {
    Data(Dtype dtype, Operator op, Stage stage, Random &random) : what{dtype, op, stage, {ranks}, ranks} {
        const Dtype in = type_in(dtype, stage);
        for (auto &input : inputs) {
            input.resize(most * size_of(in));
            fill(input.data(), in, most, random);
            pointers.push_back(input.data());
        }
    }
    std::vector<char> reduced_by(const Kernels &table, size_t count) const {
        std::vector<char> out(count * size_of(type_out(what.dtype, what.stage)));
        const Inputs all{pointers.data(), &ranks, 1, what.divisor};
        table.reduction(what.stage, what.op, what.dtype)(out.data(), all, count);
        return out;
    }
    std::vector<char> reference() const {
        std::vector<char> out(most * size_of(type_out(what.dtype, what.stage)));
        reduce(out.data(), what, pointers, most);
        return out;
    }
    Case what;
    std::vector<char> inputs[ranks];
    std::vector<const void *> pointers;
};

void assert_begins(const Kernels &table, const Data &data, const char *mode, const std::vector<char> &seen,
                   const std::vector<char> &expected) {
    const bool is_same = std::memcmp(seen.data(), expected.data(), seen.size()) == 0;
    if (!is_same) {
        print_error("%s: %s of %s, stage %d, %zu bytes, %s: other bits\n", table.name, name_of(data.what.op),
                    name_of(data.what.dtype), static_cast<int>(data.what.stage), seen.size(), mode);
    }
    assert_true(is_same);
}

template <class F> void for_all_floating(const F &f) {
    Random random(17);
    for (const Dtype dtype : all_dtypes) {
        for (const Operator op : all_operators) {
            for (const Stage stage : all_stages) {
                if (is_floating(dtype) && xcoll::has_operator(dtype, op)) {
                    f(Data(dtype, op, stage, random));
                }
            }
        }
    }
}

bool is_small(Dtype dtype) {
    return small_float(dtype) != nullptr;
}

std::string name_of_mode(int mode) {
    return "rounding mode " + std::to_string(mode);
}

void small_floats_are_rounded_to_nearest_whatever_the_thread_does(void **) {
    for_all_floating([](const Data &data) {
        if (!is_small(data.what.dtype)) {
            return;
        }
        const std::vector<char> expected = data.reference();
        for (const int mode : all_modes) {
            for (const Kernels *table : available()) {
                for (const size_t count : {1u, 2u, 3u, 5u, 9u, 17u, 40u, 300u}) {
                    const InMode in_mode(mode);
                    const std::vector<char> seen = data.reduced_by(*table, count);
                    assert_int_equal(std::fegetround(), mode);
                    assert_begins(*table, data, name_of_mode(mode).c_str(), seen, expected);
                }
            }
        }
    });
}

void other_floats_are_rounded_as_the_thread_does_and_by_all_tables_alike(void **) {
    bool differs = false;
    for_all_floating([&](const Data &data) {
        if (is_small(data.what.dtype)) {
            return;
        }
        const Kernels &plain = *xcoll::kernels_for(xcoll::Isa::plain);
        const std::vector<char> nearest = data.reduced_by(plain, most);
        for (const int mode : all_modes) {
            const InMode in_mode(mode);
            const std::vector<char> expected = data.reduced_by(plain, most);
            differs = differs || expected != nearest;
            for (const Kernels *table : available()) {
                for (const size_t count : {1u, 2u, 3u, 5u, 9u, 17u, 40u, 300u}) {
                    assert_begins(*table, data, name_of_mode(mode).c_str(), data.reduced_by(*table, count), expected);
                }
            }
        }
    });
    assert_true(differs);
}

void all_tables_scale_alike_in_every_mode(void **) {
    Random random(19);
    for (const Dtype dtype : all_dtypes) {
        const Kernels &plain = *xcoll::kernels_for(xcoll::Isa::plain);
        if (!is_floating(dtype) || plain.scale[static_cast<int>(dtype)] == nullptr) {
            continue;
        }
        std::vector<char> in(most * size_of(dtype)), scalar(size_of(dtype)), expected(in.size());
        fill(in.data(), dtype, most, random);
        fill(scalar.data(), dtype, 1, random);
        plain.scale[static_cast<int>(dtype)](expected.data(), in.data(), scalar.data(), most);
        for (const int mode : all_modes) {
            const InMode in_mode(mode);
            if (!is_small(dtype)) {
                plain.scale[static_cast<int>(dtype)](expected.data(), in.data(), scalar.data(), most);
            }
            for (const Kernels *table : available()) {
                std::vector<char> seen(in.size());
                table->scale[static_cast<int>(dtype)](seen.data(), in.data(), scalar.data(), most);
                assert_memory_equal(seen.data(), expected.data(), expected.size());
            }
        }
    }
}

// Only sums, products and averages may see that the caller's thread flushes denormals.
void comparisons_do_not_depend_on_flushing_of_denormals(void **) {
    if (!Flushing::possible) {
        skip();
    }
    for_all_floating([](const Data &data) {
        if (data.what.op == Operator::sum || data.what.op == Operator::prod || data.what.op == Operator::avg) {
            return;
        }
        const std::vector<char> expected = data.reference();
        for (const Kernels *table : available()) {
            const Flushing flushing;
            assert_begins(*table, data, "denormals flushed", data.reduced_by(*table, most), expected);
        }
    });
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(small_floats_are_rounded_to_nearest_whatever_the_thread_does),
        cmocka_unit_test(other_floats_are_rounded_as_the_thread_does_and_by_all_tables_alike),
        cmocka_unit_test(all_tables_scale_alike_in_every_mode),
        cmocka_unit_test(comparisons_do_not_depend_on_flushing_of_denormals),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Copies at every alignment, with guards around the output and around the input.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

#include "kernels_reference.h"

namespace {

using namespace reference;
using xcoll::CopyKernel;
using xcoll::Kernels;

constexpr size_t guard = 128;
constexpr char untouched = 0x5a;

// No two neighbours are equal, and none looks untouched.
std::vector<char> pattern(size_t bytes) {
    std::vector<char> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = static_cast<char>(i % 79 + i / 79 % 2 * 128);
    }
    return data;
}

const char *name_of(const Kernels &table, CopyKernel copy) {
    return copy == table.copy ? "copy" : copy == table.copy_stream ? "copy_stream" : "copy_string";
}

class Copies {
public:
    explicit Copies(size_t most) : from_(pattern(most + 64)), to_(most + 2 * guard + 64, untouched) {
        // Alignments count from a line.
        to_offset_ = guard + (64 - reinterpret_cast<uintptr_t>(to_.data()) % 64) % 64 - 64;
    }

    void check(const Kernels &table, CopyKernel copy, size_t to_alignment, size_t from_alignment, size_t bytes) {
        char *to = to_.data() + to_offset_ + to_alignment;
        const char *from = from_.data() + from_alignment;
        copy(to, from, bytes);
        bool right = std::memcmp(to, from, bytes) == 0;
        for (size_t i = 1; i <= 64; ++i) {
            right = right && to[-static_cast<ptrdiff_t>(i)] == untouched && to[bytes + i - 1] == untouched;
        }
        if (!right) {
            print_error("%s: %s of %zu bytes to %zu from %zu\n", table.name, name_of(table, copy), bytes, to_alignment,
                        from_alignment);
            fail();
        }
        std::memset(to, untouched, bytes);
    }

private:
    std::vector<char> from_;
    std::vector<char> to_;
    size_t to_offset_;
};

void every_small_copy_is_right_at_every_alignment(void **) {
    Copies copies(300);
    for (const Kernels *table : available()) {
        for (const CopyKernel copy : {table->copy, table->copy_stream, table->copy_string}) {
            for (size_t to = 0; to <= 64; ++to) {
                for (const size_t from : {size_t{0}, size_t{1}, size_t{16}, to % 64, size_t{39}, size_t{63}}) {
                    for (size_t bytes = 0; bytes <= 300; ++bytes) {
                        copies.check(*table, copy, to, from, bytes);
                    }
                }
            }
        }
    }
}

void large_copies_are_right(void **) {
    constexpr size_t most = 1200003;
    Copies copies(most);
    for (const Kernels *table : available()) {
        for (const CopyKernel copy : {table->copy, table->copy_stream, table->copy_string}) {
            for (const size_t bytes : {511u, 512u, 513u, 1000u, 1024u, 4095u, 4096u, 4161u, 65536u, 1200003u}) {
                for (const size_t to : {0u, 1u, 8u, 32u, 63u}) {
                    copies.check(*table, copy, to, 64 - to, bytes);
                    copies.check(*table, copy, to, 3, bytes);
                }
            }
        }
    }
}

void no_copy_reads_outside_of_its_input(void **) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *area = mmap(nullptr, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    char *middle = static_cast<char *>(area) + page;
    assert_int_equal(mprotect(middle, page, PROT_READ | PROT_WRITE), 0);
    const auto data = pattern(page);
    std::memcpy(middle, data.data(), page);
    std::vector<char> out(page);
    for (const Kernels *table : available()) {
        for (const CopyKernel copy : {table->copy, table->copy_stream, table->copy_string}) {
            for (size_t bytes = 0; bytes <= page; bytes += bytes < 200 ? 1 : 97) {
                copy(out.data(), middle, bytes);
                assert_memory_equal(out.data(), data.data(), bytes);
                copy(out.data(), middle + page - bytes, bytes);
                assert_memory_equal(out.data(), data.data() + page - bytes, bytes);
            }
        }
    }
    munmap(area, 3 * page);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_small_copy_is_right_at_every_alignment),
        cmocka_unit_test(large_copies_are_right),
        cmocka_unit_test(no_copy_reads_outside_of_its_input),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

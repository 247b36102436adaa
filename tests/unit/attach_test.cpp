// Reading by the kernel, here from this very process, which may always read itself.
#include "cmocka_cpp.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "fabric/attach.h"

namespace {

using namespace xcoll;

constexpr size_t page = 4096;

void bytes_arrive_whatever_pieces_they_are_in(void **) {
    std::vector<char> from(100'000), to(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<char>(i * 31 % 251);
    }
    // The pieces grow; what lies behind each other over there is cut in two where `step` says so.
    for (const size_t step : {size_t{1}, size_t{7}, size_t{1000}}) {
        std::fill(to.begin(), to.end(), 0);
        AttachedRead read(getpid());
        for (size_t at = 0, bytes = 1; at < from.size(); at += bytes, bytes += step) {
            bytes = std::min(bytes, from.size() - at);
            read.add(to.data() + at, from.data() + at, bytes);
        }
        assert_int_equal(read.finish(), 0);
        assert_true(to == from);
    }
}

void pieces_from_anywhere_arrive_where_they_belong(void **) {
    std::vector<char> from(3000), to(from.size());
    for (size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<char>(i % 127);
    }
    AttachedRead read(getpid());
    for (size_t at = from.size(); at > 0; at -= 10) {
        read.add(to.data() + at - 10, from.data() + at - 10, 10);
    }
    assert_int_equal(read.finish(), 0);
    assert_true(to == from);
}

void memory_that_is_not_there_is_an_error_and_what_lies_before_it_has_come(void **) {
    auto *memory =
        static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    assert_true(memory != MAP_FAILED);
    std::memset(memory, 7, page);
    assert_int_equal(munmap(memory + page, page), 0);
    std::vector<char> to(2 * page, 1);
    AttachedRead read(getpid());
    read.add(to.data(), memory, 2 * page);
    assert_int_equal(read.finish(), EFAULT);
    assert_int_equal(to[0], 7);
    assert_int_equal(to[page - 1], 7);
    assert_int_equal(to[page], 1);
    munmap(memory, page);
}

void a_process_that_has_ended_is_told_from_memory_that_is_not_there(void **) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    for (int collected = 0; collected < 2; ++collected) {
        char byte = 0;
        AttachedRead read(child);
        read.add(&byte, &byte, 1);
        assert_int_equal(read.finish(), ESRCH);
        waitpid(child, nullptr, 0);
    }
}

void an_attempt_tells_whether_it_reads_what_it_should(void **) {
    const uint64_t word = 42;
    assert_string_equal(try_to_attach(getpid(), &word, 42).c_str(), "");
    assert_true(try_to_attach(getpid(), &word, 43).find("another") != std::string::npos);
    assert_true(try_to_attach(getpid(), nullptr, 42).find("Bad address") != std::string::npos);
}

// The kernel's own pages that every process sees are no memory that it copies, like those of devices.
void memory_of_devices_is_told_from_memory(void **) {
    std::vector<char> memory(3 * page);
    assert_true(kernel_copies(memory.data() + 1, memory.size() - 2));
    assert_true(kernel_copies(memory.data(), 1));
    FILE *maps = std::fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512];
    unsigned long begin = 0, end = 0;
    while (std::fgets(line, sizeof line, maps) && !std::strstr(line, "[vvar]")) {
    }
    const bool found = !std::feof(maps) && std::sscanf(line, "%lx-%lx", &begin, &end) == 2;
    std::fclose(maps);
    if (!found) {
        std::puts("skipped: this system shows no page of the kernel's");
        skip();
    }
    assert_false(kernel_copies(reinterpret_cast<const void *>(begin), end - begin));
    const auto *before = memory.data(); // one end is enough
    const auto distance = static_cast<size_t>(reinterpret_cast<const char *>(begin) - before);
    assert_false(kernel_copies(before, distance + 1));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(bytes_arrive_whatever_pieces_they_are_in),
        cmocka_unit_test(pieces_from_anywhere_arrive_where_they_belong),
        cmocka_unit_test(memory_that_is_not_there_is_an_error_and_what_lies_before_it_has_come),
        cmocka_unit_test(a_process_that_has_ended_is_told_from_memory_that_is_not_there),
        cmocka_unit_test(an_attempt_tells_whether_it_reads_what_it_should),
        cmocka_unit_test(memory_of_devices_is_told_from_memory),
    };
    return cmocka_run_group_tests_name("cross-memory attach", tests, nullptr, nullptr);
}

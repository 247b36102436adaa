// Segments: shared by descriptor, sealed, and not taken from strangers.
#include "cmocka_cpp.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/error.h"
#include "fabric/segment.h"

using namespace xcoll;

namespace {

constexpr size_t bytes = 1 << 20, reserved = 1 << 16;

xcoll_result_t map_result(int descriptor, uint64_t nonce) {
    try {
        const Segment segment = Segment::map(descriptor, nonce);
        return XCOLL_SUCCESS;
    } catch (const Failure &failure) {
        return failure.result();
    }
}

// Why none could be made.
template <class Make> std::string refusal(Make make) {
    try {
        make();
    } catch (const Failure &failure) {
        return std::string(result_name(failure.result())) + ": " + failure.what();
    }
    return "";
}

void what_one_writes_the_other_reads(void **) {
    int descriptor = -1;
    const Segment mine = Segment::create(bytes, reserved, &descriptor);
    assert_true(descriptor >= 0);
    assert_int_equal(mine.bytes(), bytes);
    const Segment theirs = Segment::map(descriptor, mine.header().nonce);
    assert_ptr_not_equal(mine.base(), theirs.base());
    assert_int_equal(theirs.bytes(), bytes);
    std::strcpy(mine.base() + 5000, "hello");
    assert_string_equal(theirs.base() + 5000, "hello");
    close(descriptor);
    std::strcpy(theirs.base() + 5000, "still there");
    assert_string_equal(mine.base() + 5000, "still there");
}

void nobody_can_cut_or_grow_it(void **) {
    int descriptor = -1;
    const Segment mine = Segment::create(bytes, reserved, &descriptor);
    assert_int_not_equal(ftruncate(descriptor, 4096), 0);
    assert_int_not_equal(ftruncate(descriptor, 2 * bytes), 0);
    assert_int_not_equal(fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE), 0);
    assert_int_equal(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(descriptor);
}

// What was promised has memory; the rest costs none until it is needed.
void only_what_was_asked_for_has_memory(void **) {
    int descriptor = -1;
    const Segment mine = Segment::create(size_t{1} << 30, reserved, &descriptor);
    struct stat status;
    assert_int_equal(fstat(descriptor, &status), 0);
    assert_int_equal(status.st_size, 1 << 30);
    assert_true(status.st_blocks * 512 >= static_cast<int64_t>(reserved));
    assert_true(status.st_blocks * 512 < static_cast<int64_t>(16) << 20);
    close(descriptor);
}

void two_segments_are_told_apart(void **) {
    int one = -1, other = -1;
    const Segment first = Segment::create(bytes, reserved, &one), second = Segment::create(bytes, reserved, &other);
    assert_true(first.header().nonce != second.header().nonce);
    assert_int_equal(map_result(one, first.header().nonce), XCOLL_SUCCESS);
    assert_int_equal(map_result(one, second.header().nonce), XCOLL_ERR_AUTH);
    close(one);
    close(other);
}

void strangers_are_refused(void **) {
    // No file at all, an ordinary one, one without seals, one with other contents.
    assert_int_equal(map_result(-1, 0), XCOLL_ERR_SYSTEM);
    const int null = open("/dev/null", O_RDWR);
    assert_int_equal(map_result(null, 0), XCOLL_ERR_AUTH);
    close(null);
    const int unsealed = memfd_create("unsealed", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(unsealed, bytes), 0);
    assert_int_equal(map_result(unsealed, 0), XCOLL_ERR_AUTH);
    assert_int_equal(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    assert_int_equal(map_result(unsealed, 0), XCOLL_ERR_BOOTSTRAP); // no magic number
    close(unsealed);
    const int tiny = memfd_create("tiny", MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(tiny, 8), 0);
    assert_int_equal(fcntl(tiny, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    assert_int_equal(map_result(tiny, 0), XCOLL_ERR_AUTH);
    close(tiny);
}

// It would write into its parent's messages.
void a_child_of_fork_has_no_part_in_it(void **) {
    int descriptor = -1;
    const Segment mine = Segment::create(bytes, reserved, &descriptor);
    const Segment own = Segment::create_private(bytes);
    const pid_t child = fork();
    if (child == 0) {
        unsigned char resident;
        const bool mapped = mincore(mine.base(), 1, &resident) == 0 || mincore(own.base(), 1, &resident) == 0;
        _exit(mapped ? 1 : 0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(descriptor);
}

void it_is_unmapped_with_the_object(void **) {
    char *base = nullptr;
    {
        Segment segment = Segment::create_private(bytes);
        base = segment.base();
        Segment other = std::move(segment);
        assert_null(segment.base());
        assert_ptr_equal(other.base(), base);
    }
    unsigned char resident;
    assert_int_equal(mincore(base, 1, &resident), -1);
}

// Going beyond it would end the process by a signal.
void a_limit_of_the_size_of_files_is_told(void **) {
    rlimit usual;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    const rlimit small = {bytes - 1, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int descriptor = -1;
    const std::string message = refusal([&] { Segment::create(bytes, reserved, &descriptor); });
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_non_null(std::strstr(message.c_str(), "XCOLL_ERR_NO_MEMORY: "));
    assert_non_null(std::strstr(message.c_str(), "1024 KiB"));
    assert_non_null(std::strstr(message.c_str(), "ulimit -f"));
}

void a_lack_of_address_space_is_told(void **) {
    const std::string message = refusal([] { Segment::create_private(size_t{1} << 62); });
    assert_non_null(std::strstr(message.c_str(), "XCOLL_ERR_NO_MEMORY: "));
    assert_non_null(std::strstr(message.c_str(), "ulimit -v"));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_one_writes_the_other_reads),
        cmocka_unit_test(nobody_can_cut_or_grow_it),
        cmocka_unit_test(only_what_was_asked_for_has_memory),
        cmocka_unit_test(two_segments_are_told_apart),
        cmocka_unit_test(strangers_are_refused),
        cmocka_unit_test(a_child_of_fork_has_no_part_in_it),
        cmocka_unit_test(it_is_unmapped_with_the_object),
        cmocka_unit_test(a_limit_of_the_size_of_files_is_told),
        cmocka_unit_test(a_lack_of_address_space_is_told),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

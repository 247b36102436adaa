// The symmetric heap: places that follow from the calls, memory that is there when it is needed and gone when it is
// not.
#include "cmocka_cpp.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "fabric/heap.h"
#include "fabric/segment.h"

using namespace xcoll;

// A kernel whose pages are long, as the heap without a file sees it: what does not begin one is refused, and what is
// dropped is dropped to the end of one.
extern "C" int madvise(void *address, size_t bytes, int advice) noexcept {
    if (advice != MADV_DONTNEED || reinterpret_cast<uintptr_t>(address) % longest_page != 0) {
        return -1;
    }
    std::memset(address, 0, (bytes + longest_page - 1) / longest_page * longest_page);
    return 0;
}

namespace {

constexpr size_t page = 4096, long_page = longest_page;
constexpr size_t reserved = size_t{64} << 10, first = size_t{1} << 20, room = size_t{64} << 20;

// One rank's, in a segment of its own.
class Owner {
public:
    Owner() : segment_(Segment::create(first + room, reserved, &descriptor_)) {
    }
    ~Owner() {
        close(descriptor_);
    }
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    Heap &heap() {
        return heap_;
    }
    const Segment &segment() const {
        return segment_;
    }
    Segment seen_by_peer(size_t most) const {
        return Segment::map(descriptor_, segment_.header().nonce, most);
    }
    size_t memory() const {
        constexpr size_t block = 512;
        struct stat status;
        assert_int_equal(fstat(descriptor_, &status), 0);
        return static_cast<size_t>(status.st_blocks) * block;
    }

private:
    int descriptor_ = -1;
    Segment segment_;
    Heap heap_{segment_.base(), first, room, descriptor_, page};
};

xcoll_result_t take_result(Heap &heap, size_t bytes) {
    try {
        heap.take(bytes);
        return XCOLL_SUCCESS;
    } catch (const Failure &failure) {
        return failure.result();
    }
}

void a_peer_sees_it_at_the_same_place(void **) {
    Owner owner;
    auto *piece = static_cast<char *>(owner.heap().take(100));
    std::strcpy(piece, "hello");
    const Segment peer = owner.seen_by_peer(first + room);
    assert_string_equal(peer.base() + first + owner.heap().offset(piece), "hello");
    // A peer with less address space maps less of it.
    assert_int_equal(owner.seen_by_peer(first + page).bytes(), first + page);
}

void equal_calls_give_equal_places(void **) {
    Owner one, other;
    std::vector<void *> ones, others;
    for (size_t i = 0; i < 200; ++i) {
        const size_t bytes = 1 + i * 7919 % 50'000;
        ones.push_back(one.heap().take(bytes));
        others.push_back(other.heap().take(bytes));
        assert_int_equal(one.heap().offset(ones.back()), other.heap().offset(others.back()));
        if (i % 3 == 2) {
            const auto victim = static_cast<ptrdiff_t>(i * 31 % ones.size());
            assert_true(one.heap().give(ones[static_cast<size_t>(victim)]));
            assert_true(other.heap().give(others[static_cast<size_t>(victim)]));
            ones.erase(ones.begin() + victim);
            others.erase(others.begin() + victim);
        }
    }
}

void memory_comes_and_goes(void **) {
    constexpr size_t bytes = size_t{8} << 20;
    Owner owner;
    const size_t before = owner.memory();
    void *piece = owner.heap().take(bytes);
    assert_true(owner.memory() >= before + bytes); // at once: an error now is better than a SIGBUS later
    std::memset(piece, 1, bytes);
    assert_true(owner.heap().give(piece));
    assert_int_equal(owner.memory(), before);
    assert_true(owner.heap().is_empty());
    const auto *again = static_cast<const char *>(owner.heap().take(bytes));
    assert_ptr_equal(again, piece);
    assert_int_equal(again[0], 0);
    assert_int_equal(again[bytes - 1], 0);
}

void what_is_not_its_own_is_not_taken_back(void **) {
    Owner owner;
    char own = 0;
    auto *piece = static_cast<char *>(owner.heap().take(2 * page));
    assert_false(owner.heap().give(&own));
    assert_false(owner.heap().give(piece + page));
    assert_false(owner.heap().give(owner.segment().base()));
    assert_true(owner.heap().give(piece));
    assert_false(owner.heap().give(piece));
}

void it_knows_its_addresses(void **) {
    Owner owner;
    char *base = owner.segment().base() + first;
    auto *piece = static_cast<char *>(owner.heap().take(page + 1));
    assert_true(owner.heap().holds(piece) && owner.heap().holds(piece + 2 * page - 1));
    assert_false(owner.heap().holds(piece + 2 * page) || owner.heap().holds(&owner) || owner.heap().holds(base - 1));
    assert_true(owner.heap().reaches(base, room) && owner.heap().reaches(base + room - 1, 1));
    assert_false(owner.heap().reaches(base, room + 1) || owner.heap().reaches(base + 1, room));
    assert_false(owner.heap().reaches(base - 1, 2) || owner.heap().reaches(&owner, 1));
    assert_false(owner.heap().reaches(base, ~size_t{0}) || owner.heap().reaches(nullptr, 1));
}

void too_much_is_an_error_that_changes_nothing(void **) {
    Owner owner;
    void *piece = owner.heap().take(page);
    for (const size_t bytes : {room, room + 1, ~size_t{0}, ~size_t{0} - page}) {
        assert_int_equal(take_result(owner.heap(), bytes), XCOLL_ERR_NO_MEMORY);
    }
    assert_int_equal(take_result(owner.heap(), room - page), XCOLL_SUCCESS);
    assert_int_equal(take_result(owner.heap(), 1), XCOLL_ERR_NO_MEMORY);
    assert_true(owner.heap().give(piece));
    assert_ptr_equal(owner.heap().take(1), piece);
}

// Of a heap without a file, as threads of one process have it.
class Threads {
public:
    char *take(size_t bytes) {
        return static_cast<char *>(heap_.take(bytes));
    }
    Heap &heap() {
        return heap_;
    }

private:
    alignas(long_page) char memory_[8 * long_page] = {};
    Heap heap_{memory_, 0, sizeof memory_, -1, long_page};
};

void a_piece_is_freed_alone_where_pages_are_longer(void **) {
    const auto threads = std::make_unique<Threads>();
    Threads &owner = *threads;
    char *const pieces[] = {owner.take(1), owner.take(page), owner.take(long_page + 1), owner.take(1)};
    const size_t lengths[] = {1, page, long_page + 1, 1};
    for (size_t i = 0; i < std::size(pieces); ++i) {
        std::memset(pieces[i], static_cast<int>(i + 1), lengths[i]);
    }
    for (const size_t freed : {2u, 0u}) {
        assert_true(owner.heap().give(pieces[freed]));
        assert_int_equal(pieces[1][0], 2);
        assert_int_equal(pieces[1][page - 1], 2);
        assert_int_equal(pieces[3][0], 4);
    }
    for (const size_t again : {0u, 2u}) {
        assert_ptr_equal(owner.take(lengths[again]), pieces[again]);
        assert_int_equal(pieces[again][0], 0);
        assert_int_equal(pieces[again][lengths[again] - 1], 0);
    }
}

size_t address_space_in_use() {
    size_t pages = 0;
    FILE *file = std::fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(std::fscanf(file, "%zu", &pages), 1);
    std::fclose(file);
    return pages * page;
}

void a_limit_of_address_space_makes_it_smaller(void **) {
    constexpr size_t wanted = size_t{16} << 30, spare = size_t{1} << 30;
    assert_int_equal(Heap::affordable(wanted, 0, 2), wanted);
    assert_int_equal(Heap::affordable(page + 1, 0, 1), page);
    assert_int_equal(Heap::affordable(0, 0, 1), 0);
    rlimit old;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    const rlimit tight{address_space_in_use() + spare, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    const size_t two = Heap::affordable(wanted, 0, 2), many = Heap::affordable(wanted, 0, 100);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_true(two > 0 && 4 * two <= spare);
    assert_true(many > 0 && 200 * many <= spare && many < two);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_sees_it_at_the_same_place),
        cmocka_unit_test(equal_calls_give_equal_places),
        cmocka_unit_test(memory_comes_and_goes),
        cmocka_unit_test(what_is_not_its_own_is_not_taken_back),
        cmocka_unit_test(it_knows_its_addresses),
        cmocka_unit_test(a_piece_is_freed_alone_where_pages_are_longer),
        cmocka_unit_test(too_much_is_an_error_that_changes_nothing),
        cmocka_unit_test(a_limit_of_address_space_makes_it_smaller),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// The few bytes through which short payloads go one way: a place is nobody else's until everyone has completed its
// operation, and who finds none waits for nobody.
#include "cmocka_cpp.h"

#include <set>
#include <utility>
#include <vector>

#include "coll/payload.h"
#include "fabric/run_ahead.h"
#include "window_ranks.h"

using namespace window_ranks;

namespace {

constexpr size_t plenty = size_t{64} << 20;
constexpr size_t some_bytes = 1000, some_lines = 1024, room = slot_count * slot_bytes;
constexpr uint64_t places = room / some_lines;

void pass_everywhere(const std::vector<std::shared_ptr<Window>> &windows, uint64_t first, uint64_t last) {
    for (uint64_t n = first; n <= last; ++n) {
        for (const auto &window : windows) {
            window->complete(n);
        }
    }
}

void places_lie_apart_in_memory_that_nobody_else_uses(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    std::vector<std::pair<char *, size_t>> held;
    for (uint64_t n = 1; n <= places; ++n) {
        const uint64_t place = mine.short_ring().take(mine, n, some_bytes);
        assert_true(place != slot_place && !Batons::is_one(place));
        held.emplace_back(mine.place(0, n, place), some_bytes);
        assert_ptr_equal(held.back().first - mine.at(0, 0), windows[1]->place(0, n, place) - windows[1]->at(0, 0));
    }
    const auto *const begin = reinterpret_cast<char *>(mine.mine().slots);
    std::set<const char *> begins;
    for (const auto &[at, bytes] : held) {
        assert_true(at >= begin && at + bytes <= begin + room);
        assert_true((at - begin) % static_cast<ptrdiff_t>(some_lines) == 0 && begins.insert(at).second);
    }
    for (uint64_t n = 0; n < 2 * slot_count; ++n) {
        assert_true(mine.slot(0, n) != begin && mine.slot(1, n) != begin);
    }
}

void a_place_is_nobody_elses_until_everyone_has_completed_its_operation(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    std::vector<uint64_t> taken;
    for (uint64_t n = 1; n <= places; ++n) {
        taken.push_back(mine.short_ring().take(mine, n, some_bytes));
    }
    uint64_t n = places;
    for (uint64_t done = 1; done <= places; ++done) {
        assert_int_equal(mine.short_ring().take(mine, ++n, some_bytes), 0);
        mine.saw_everyone(done);
        assert_int_equal(mine.short_ring().take(mine, ++n, some_bytes), taken[static_cast<size_t>(done) - 1]);
    }
}

void who_finds_none_takes_the_long_ring(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    assert_true(Batons::is_one(find_place(mine, 1, some_bytes, true, slot_bytes)));
    const auto *const begin = reinterpret_cast<char *>(mine.mine().slots);
    const auto is_short = [&](uint64_t n) {
        const char *at = mine.place(0, n, find_place(mine, n, some_bytes, true, slot_bytes));
        return at >= begin && at < begin + room;
    };
    uint64_t n = 1;
    for (uint64_t i = 0; i < places; ++i) {
        assert_true(is_short(++n));
    }
    while (n < mine.cells()) {
        assert_false(is_short(++n));
    }
    mine.saw_everyone(n);
    assert_true(is_short(++n));
}

void a_reader_that_stood_still_is_looked_at_again_later(void **) {
    const Ranks ranks(2, plenty);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    if (mine.node().crowded()) {
        print_message("two ranks share a processor here, and nobody looks\n");
        skip();
    }
    uint64_t n = 0;
    while (n < places) {
        assert_true(mine.short_ring().take(mine, ++n, some_bytes) != 0);
    }
    assert_int_equal(mine.short_ring().take(mine, ++n, some_bytes), 0);
    pass_everywhere(windows, 1, n);
    uint64_t refused = 0;
    while (mine.short_ring().take(mine, ++n, some_bytes) == 0) {
        assert_true(++refused < 2 * places + mine.cells());
    }
    assert_true(refused > 1); // no look before
    assert_true(mine.has_credit(places + 1, 0));
}

void there_is_none_where_slots_are_narrow_and_for_long_payloads(void **) {
    const Ranks poor(2), more(3, plenty), two(2, plenty);
    for (const Ranks *ranks : {&poor, &more}) {
        const auto windows = ranks->open();
        assert_int_equal(windows[0]->short_ring().take(*windows[0], 1, some_bytes), 0);
    }
    const auto windows = two.open();
    assert_true(longest_short(*windows[0]) < room / 2);
    assert_int_equal(windows[0]->short_ring().take(*windows[0], 1, room + 1), 0);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(places_lie_apart_in_memory_that_nobody_else_uses),
        cmocka_unit_test(a_place_is_nobody_elses_until_everyone_has_completed_its_operation),
        cmocka_unit_test(who_finds_none_takes_the_long_ring),
        cmocka_unit_test(a_reader_that_stood_still_is_looked_at_again_later),
        cmocka_unit_test(there_is_none_where_slots_are_narrow_and_for_long_payloads),
    };
    return cmocka_run_group_tests_name("short_ring", tests, nullptr, nullptr);
}

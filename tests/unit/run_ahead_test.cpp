// How far a rank goes ahead of those that read what it gives, and where it puts that.
#include "cmocka_cpp.h"

#include <set>

#include "coll/payload.h"
#include "fabric/run_ahead.h"
#include "window_ranks.h"

using namespace xcoll;
using window_ranks::Ranks;

namespace {

constexpr size_t kib = 1024;

void the_longer_a_payload_the_less_far_ahead(void **) {
    const Ranks ranks(2, 64 * 1024 * kib);
    const auto windows = ranks.open();
    const Window &window = *windows[0];
    for (const size_t bytes : {size_t{0}, size_t{1}, 8 * kib}) {
        assert_int_equal(most_ahead(window, bytes), window.cells());
    }
    const size_t ring = window.node().ring().bytes();
    assert_true(ring >= 1024 * kib);
    assert_int_equal(most_ahead(window, 16 * kib), 32);
    assert_int_equal(most_ahead(window, 64 * kib), 8);
    assert_int_equal(most_ahead(window, ring / 8), 8);
    assert_int_equal(most_ahead(window, ring / 4), 4);
    assert_int_equal(most_ahead(window, ring / 2), 2);
    assert_int_equal(most_ahead(window, ~size_t{0}), 2);
    for (size_t bytes = 1; bytes < 1024 * kib; bytes = bytes * 3 / 2 + 1) {
        assert_true(most_ahead(window, bytes) >= most_ahead(window, bytes + 1));
        assert_true(most_ahead(window, bytes) <= window.cells());
    }
}

void a_payload_whose_slot_is_in_use_goes_to_the_ring(void **) {
    const Ranks ranks(3);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    constexpr size_t bytes = 1000;
    for (uint64_t n = 1; n <= slot_count; ++n) {
        assert_int_equal(find_place(mine, n, bytes, true, slot_bytes), slot_place);
    }
    std::set<uint64_t> places;
    for (uint64_t n = slot_count + 1; n <= mine.cells(); ++n) {
        const uint64_t place = find_place(mine, n, bytes, true, slot_bytes);
        assert_true(place != slot_place && place != no_place);
        assert_true(places.insert(place).second);
    }
    mine.saw_everyone(mine.cells() - slot_count + 1);
    assert_int_equal(find_place(mine, mine.cells() + 1, bytes, true, slot_bytes), slot_place);
}

// Where ranks share a processor, nobody looks.
void skip_if_crowded(const Window &window) {
    if (window.node().crowded()) {
        print_message("two ranks share a processor here\n");
        skip();
    }
}

void nobody_waits_for_peers_that_stand_still(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    skip_if_crowded(mine);
    const uint64_t n = mine.cells() + 1;
    let_peers_catch_up(mine, n, mine.cells(), looks_of_wait);
    assert_false(mine.has_credit(n, mine.cells()));
    windows[0]->complete(1);
    windows[1]->complete(1);
    let_peers_catch_up(mine, n, mine.cells(), looks_of_wait);
    assert_true(mine.has_credit(n, mine.cells()) && !mine.has_credit(n + 1, mine.cells()));
}

void credit_that_is_there_is_taken_together(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    skip_if_crowded(mine);
    for (uint64_t n = 1; n <= mine.cells(); ++n) {
        windows[0]->complete(n);
        windows[1]->complete(n);
    }
    let_peers_catch_up(mine, mine.cells() + 1, mine.cells(), looks_of_start);
    assert_true(mine.has_credit(2 * mine.cells(), mine.cells()));
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_longer_a_payload_the_less_far_ahead),
        cmocka_unit_test(a_payload_whose_slot_is_in_use_goes_to_the_ring),
        cmocka_unit_test(nobody_waits_for_peers_that_stand_still),
        cmocka_unit_test(credit_that_is_there_is_taken_together),
    };
    return cmocka_run_group_tests_name("run_ahead", tests, nullptr, nullptr);
}

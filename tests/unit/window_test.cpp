// Boards, credits and counters of a communicator, and what becomes of them when it is freed.
#include "cmocka_cpp.h"

#include <cstring>
#include <set>
#include <string>

#include "window_ranks.h"

using namespace window_ranks;

namespace {

constexpr Fingerprint some_call{1, 2}, other_call{1, 3};

void announce(Window &window, uint64_t n, const Fingerprint &call = some_call) {
    window.begin_head(n, call);
    window.announce(n);
}

void a_head_is_seen_when_it_is_announced(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    windows[0]->begin_head(1, some_call);
    assert_false(windows[1]->entered(0, 1).reached());
    windows[0]->announce(1);
    assert_true(windows[1]->entered(0, 1).reached());
    assert_int_equal(windows[1]->entered(0, 1).owner, 0);
    assert_false(windows[1]->entered(0, 2).reached());
    assert_true(windows[1]->head(0, 1).call == some_call);
    windows[1]->check(0, 1, some_call);
}

void another_call_is_a_mismatch_that_names_both(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Op mine, theirs;
    mine.kind = Kind::barrier;
    theirs.kind = Kind::bcast;
    theirs.dtype = Dtype::int8;
    theirs.root = 1;
    theirs.count = 77;
    announce(*windows[1], 1, fingerprint(theirs));
    std::string message;
    try {
        windows[0]->check(1, 1, fingerprint(mine));
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_MISMATCH);
        message = failure.message();
    }
    for (const char *part : {"operation 1", "rank 0 called barrier", "rank 1 called bcast(root 1, 77 x int8)"}) {
        assert_non_null(std::strstr(message.c_str(), part));
    }
}

// Operations end in any order; `done` is how far all have ended.
void done_counts_the_prefix_that_is_complete(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    const auto seen = [&](uint64_t n) { return windows[1]->credit(0, n + cell_count, cell_count).reached(); };
    for (const uint64_t n : {3u, 2u, 8u, 5u}) {
        mine.complete(n);
        assert_int_equal(mine.done(), 0);
        assert_false(seen(1));
    }
    mine.complete(1);
    assert_int_equal(mine.done(), 3);
    assert_true(seen(3) && !seen(4));
    mine.complete(4);
    assert_int_equal(mine.done(), 5);
    mine.complete(7);
    mine.complete(6);
    assert_int_equal(mine.done(), 8);
    for (uint64_t n = 9; n < 1000; ++n) {
        mine.complete(n);
    }
    assert_int_equal(mine.done(), 999);
    assert_true(seen(999) && !seen(1000));
}

void credit_is_remembered_and_never_lost(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    Window &mine = *windows[0];
    assert_true(mine.has_credit(cell_count, cell_count));
    assert_false(mine.has_credit(cell_count + 1, cell_count));
    assert_true(mine.has_credit(slot_count, slot_count));
    assert_false(mine.has_credit(slot_count + 1, slot_count));
    mine.saw_everyone(5);
    mine.saw_everyone(3);
    assert_true(mine.has_credit(5 + cell_count, cell_count));
    assert_false(mine.has_credit(6 + cell_count, cell_count));
}

// Each slot goes to and fro, so that a rank writes where it read last; only two ranks can agree on that by themselves.
void two_ranks_swap_their_slots_and_more_do_not(void **) {
    for (const int size : {1, 2, 3}) {
        const Ranks ranks(size);
        const auto windows = ranks.open();
        for (int p = 0; p < size; ++p) {
            for (uint64_t n = 0; n < 3 * slot_count; ++n) {
                char *place = windows[0]->slot(p, n);
                assert_ptr_equal(place, windows[static_cast<size_t>(size - 1)]->slot(p, n));
                const int next_owner = size == 2 ? 1 - p : p;
                assert_ptr_equal(windows[0]->slot(next_owner, n + slot_count), place);
                assert_ptr_not_equal(windows[0]->slot(p, n + 1), place);
            }
        }
    }
}

void pairs_have_wide_slots_as_far_as_the_budget_goes(void **) {
    constexpr size_t plenty = size_t{64} << 20;
    const Ranks poor(2), rich(2, plenty), more(3, plenty);
    assert_false(poor.open()[0]->has_wide_slots());
    assert_false(more.open()[0]->has_wide_slots());
    const size_t most = node_sizes(plenty, 0, 2).wide_pairs;
    assert_true(most > 0);
    auto windows = rich.open();
    std::vector<decltype(windows)> others;
    for (size_t i = 1; i < most; ++i) {
        others.push_back(rich.open());
        assert_true(others.back()[1]->has_wide_slots());
    }
    assert_int_equal(rich.open()[0]->slot_room(), slot_bytes);
    windows.clear();
    assert_int_equal(rich.open()[0]->slot_room(), node_sizes(plenty, 0, 2).wide_slot_bytes);
}

void long_messages_find_memory_as_far_as_the_budget_goes(void **) {
    constexpr size_t plenty = size_t{64} << 20;
    const Ranks poor(3), rich(3, plenty);
    assert_int_equal(poor.open()[0]->take_blocks(), 0);
    const NodeSizes sizes = node_sizes(plenty, 0, 3);
    assert_true(sizes.block_pools > 1);
    std::vector<decltype(rich.open())> all;
    for (size_t i = 0; i < sizes.block_pools; ++i) {
        all.push_back(rich.open());
        assert_int_not_equal(all.back()[0]->take_blocks(), 0);
    }
    assert_int_equal(rich.open()[0]->take_blocks(), 0);
    all.pop_back(); // they go back with their communicator
    all.push_back(rich.open());
    assert_int_not_equal(all.back()[0]->take_blocks(), 0);
}

void a_head_tells_how_far_its_owner_had_come(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    windows[0]->complete(1);
    windows[0]->complete(2);
    announce(*windows[0], 3);
    assert_int_equal(Window::done_by(windows[1]->head(0, 3), 3), 2);
    announce(*windows[0], 9);
    assert_int_equal(Window::done_by(windows[1]->head(0, 9), 9), 2);
}

// What waits for any of its counters goes on and can tell why, also in the operations after it.
void a_rank_that_leaves_early_is_noticed(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    for (uint64_t n = 1; n < 50; n += cell_count) {
        Window &mine = *windows[0];
        Head &head = mine.begin_head(n, some_call);
        head.place.base = Window::counter_base(mine.my_cell(n));
        mine.announce(n);
        const Cell &cell = windows[1]->cell(0, n);
        assert_false(windows[1]->is_broken(0, n, cell.in));
        mine.publish(mine.my_cell(n).in, head.place.base + 1000);
        assert_false(windows[1]->is_broken(0, n, cell.in));
        mine.break_off(n);
        for (const Signal *counter : {&cell.in, &cell.out, &cell.used}) {
            assert_true(windows[1]->is_broken(0, n, *counter));
            assert_true(counter->reached(cell.head.place.base + 1'000'000'000));
        }
        bool thrown = false;
        try {
            windows[1]->fail_broken(0, n);
        } catch (const Failure &failure) {
            thrown = failure.result() == XCOLL_ERR_MISMATCH && std::strstr(failure.what(), "rank 0");
        }
        assert_true(thrown);
    }
}

void a_reason_that_is_too_long_is_cut_between_characters(void **) {
    char text[8];
    const std::pair<const char *, const char *> cases[] = {
        {"", ""}, {"1234567", "1234567"}, {"12345678", "1234..."}, {"123\u00e4\u00e4\u00e4", "123..."}};
    for (const auto &[whole, shown] : cases) {
        copy_shortened(whole, text, sizeof text);
        assert_string_equal(text, shown);
    }
    const Ranks ranks(2);
    const auto windows = ranks.open();
    windows[1]->say_farewell({XCOLL_ERR_ABORTED, std::string(1000, 'x')});
    assert_string_equal(windows[0]->board(1).farewell.reason + sizeof(Farewell::reason) - sizeof "xx...", "xx...");
}

void the_first_farewell_stays(void **) {
    const Ranks ranks(3);
    const auto windows = ranks.open();
    windows[0]->check_farewells();
    windows[1]->say_farewell({XCOLL_ERR_TIMEOUT, "no patience left"});
    windows[1]->say_farewell({XCOLL_ERR_ABORTED, "another reason"});
    windows[1]->check_farewells(); // its own is no news
    for (const int rank : {0, 2}) {
        bool thrown = false;
        try {
            windows[static_cast<size_t>(rank)]->check_farewells();
        } catch (const Failure &failure) {
            thrown = std::strstr(failure.what(), "rank 1") && std::strstr(failure.what(), "no patience left");
        }
        assert_true(thrown);
    }
}

int blamed(const Window &window) {
    try {
        window.check_farewells();
    } catch (const Failure &failure) {
        return failure.rank();
    }
    return Failure::nobody;
}

// Also through a rank that gives up because of it, and of a rank that blames nobody.
void a_farewell_names_the_rank_at_fault(void **) {
    const Ranks ranks(4);
    auto windows = ranks.open();
    windows[1]->say_farewell({XCOLL_ERR_TIMEOUT, "rank 3 did not come", 3});
    assert_int_equal(blamed(*windows[0]), 3);
    windows[0]->say_farewell({XCOLL_ERR_SYSTEM, "no memory"});
    assert_int_equal(blamed(*windows[2]), 3);
    windows = ranks.open();
    windows[1]->say_farewell({XCOLL_ERR_SYSTEM, "no memory"});
    assert_int_equal(blamed(*windows[0]), 1);
}

void a_long_farewell_is_cut(void **) {
    const Ranks ranks(2);
    const auto windows = ranks.open();
    windows[0]->say_farewell({XCOLL_ERR_ABORTED, std::string(1000, 'x')});
    bool thrown = false;
    try {
        windows[1]->check_farewells();
    } catch (const Failure &failure) {
        thrown = std::strstr(failure.what(), "xxxx") != nullptr && failure.message().size() < 500;
    }
    assert_true(thrown);
}

// ---- the end

// A board is used again when all have closed the communicator, and not before.
void memory_comes_back_when_everybody_has_closed(void **) {
    const Ranks ranks(2);
    auto windows = ranks.open();
    const uint64_t first = windows[0]->offset_of(&windows[0]->mine());
    ranks.node(0).retire(std::move(windows[0]));
    const Node::BoardPlace meanwhile = ranks.node(0).take_board(2);
    assert_int_not_equal(meanwhile.offset, first);
    ranks.node(1).retire(std::move(windows[1]));
    const Node::BoardPlace again = ranks.node(0).take_board(2);
    assert_int_equal(again.offset, first);
    assert_true(again.generation > meanwhile.generation);
}

void a_board_that_is_used_again_is_empty(void **) {
    const Ranks ranks(2);
    auto windows = ranks.open();
    for (uint64_t n = 1; n <= 20; ++n) {
        for (const auto &window : windows) {
            announce(*window, n, other_call);
            window->complete(n);
        }
    }
    windows[0]->break_off(20);
    windows[0]->say_farewell({XCOLL_ERR_ABORTED, "the end"});
    ranks.node(0).retire(std::move(windows[0]));
    ranks.node(1).retire(std::move(windows[1]));
    const auto again = ranks.open();
    for (uint64_t n = 1; n <= cell_count; ++n) {
        assert_false(again[1]->entered(0, n).reached());
        assert_int_equal(Window::counter_base(again[1]->cell(0, n)), 0);
    }
    assert_false(again[1]->credit(0, 9, 8).reached());
    again[1]->check_farewells();
}

// A peer that still has the old one open must not take the new one's numbers for its own.
void another_generation_counts_as_closed(void **) {
    const Ranks ranks(3);
    auto windows = ranks.open();
    ranks.node(0).retire(std::move(windows[0]));
    ranks.node(1).retire(std::move(windows[1]));
    assert_false(windows[2]->everyone_closed());
    windows[2]->close();
    ranks.node(0).reclaim();
    const auto again = ranks.open(); // rank 0 takes its old board; its done counter is 0 there
    assert_false(again[0]->everyone_closed());
    assert_true(windows[2]->everyone_closed());
    assert_true(windows[2]->everyone_completed(1000));
}

// ---- arena

void pieces_are_aligned_zero_and_apart(void **) {
    const Ranks ranks(1);
    Arena &arena = ranks.node(0).arena();
    std::set<std::pair<uint64_t, uint64_t>> pieces;
    for (size_t bytes = 1; bytes < 20'000; bytes = bytes * 3 + 1) {
        for (int i = 0; i < 5; ++i) {
            const uint64_t offset = arena.take(bytes);
            assert_int_equal(offset % 128, 0);
            const char *memory = arena.at(offset);
            for (size_t k = 0; k < bytes; ++k) {
                assert_int_equal(memory[k], 0);
            }
            std::memset(arena.at(offset), 0x77, bytes);
            pieces.emplace(offset, offset + bytes);
        }
    }
    uint64_t end = 0;
    for (const auto &[first, last] : pieces) {
        assert_true(first >= end);
        end = last;
    }
}

void a_full_segment_is_an_error_and_not_the_end(void **) {
    const Ranks ranks(1);
    Arena &arena = ranks.node(0).arena();
    constexpr size_t bytes = size_t{8} << 20;
    std::vector<uint64_t> pieces;
    xcoll_result_t result = XCOLL_SUCCESS;
    while (result == XCOLL_SUCCESS && pieces.size() < 1000) {
        try {
            pieces.push_back(arena.take(bytes));
        } catch (const Failure &failure) {
            result = failure.result();
        }
    }
    assert_int_equal(result, XCOLL_ERR_NO_MEMORY);
    assert_true(pieces.size() > 1);
    arena.give(pieces.back(), bytes);
    assert_int_equal(arena.take(bytes), pieces.back());
}

// ---- sizes

void rings_share_the_budget(void **) {
    constexpr size_t mib = size_t{1} << 20;
    assert_int_equal(node_sizes(64 * mib, mib, 2).ring_bytes, 2 * mib); // twice the L2
    const size_t crowded = node_sizes(64 * mib, 2 * mib, 64).ring_bytes;
    assert_true(crowded < mib && crowded >= mib / 4);
    assert_int_equal(node_sizes(0, mib, 1000).ring_bytes, 64 * 1024); // never none
    for (const size_t budget : {size_t{0}, size_t{100'000}, mib, 100 * mib}) {
        for (const int ranks : {1, 2, 7, 100}) {
            const size_t ring = node_sizes(budget, 0, ranks).ring_bytes;
            assert_int_equal(ring % (64 * 1024), 0);
            assert_true(ring > 0);
            const NodeSizes sizes = node_sizes(budget, 0, ranks);
            const size_t taken = ring + sizes.block_bytes * sizes.block_pools;
            assert_true(sizes.block_pools == 0 || taken * static_cast<size_t>(ranks) <= budget);
        }
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_head_is_seen_when_it_is_announced),
        cmocka_unit_test(another_call_is_a_mismatch_that_names_both),
        cmocka_unit_test(done_counts_the_prefix_that_is_complete),
        cmocka_unit_test(credit_is_remembered_and_never_lost),
        cmocka_unit_test(two_ranks_swap_their_slots_and_more_do_not),
        cmocka_unit_test(pairs_have_wide_slots_as_far_as_the_budget_goes),
        cmocka_unit_test(long_messages_find_memory_as_far_as_the_budget_goes),
        cmocka_unit_test(a_head_tells_how_far_its_owner_had_come),
        cmocka_unit_test(a_rank_that_leaves_early_is_noticed),
        cmocka_unit_test(a_reason_that_is_too_long_is_cut_between_characters),
        cmocka_unit_test(the_first_farewell_stays),
        cmocka_unit_test(a_farewell_names_the_rank_at_fault),
        cmocka_unit_test(a_long_farewell_is_cut),
        cmocka_unit_test(memory_comes_back_when_everybody_has_closed),
        cmocka_unit_test(a_board_that_is_used_again_is_empty),
        cmocka_unit_test(another_generation_counts_as_closed),
        cmocka_unit_test(pieces_are_aligned_zero_and_apart),
        cmocka_unit_test(a_full_segment_is_an_error_and_not_the_end),
        cmocka_unit_test(rings_share_the_budget),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// Which algorithm serves which message, and what becomes of a wish.
#include "cmocka_cpp.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/user_operator.h"
#include "coll/message_algorithms.h"
#include "coll/payload.h"
#include "coll/window_algorithms.h"
#include "select_ranks.h"

using namespace select_ranks;

namespace {

template <class Check> void for_all_sizes(Check check) {
    std::vector<Kind> all = collectives();
    all.push_back(Kind::words);
    all.push_back(Kind::group);
    all.push_back(Kind::reshard_reduce);
    for (const Kind kind : all) {
        for (size_t bytes = kind == Kind::words ? first_line_bytes : 0; bytes < size_t{1} << 40;
             bytes = bytes * 2 + 1) {
            check(kind, bytes);
            if (kind == Kind::words) {
                break;
            }
        }
    }
}

void every_call_has_an_algorithm_that_can_serve_it(void **) {
    Setting setting;
    for (const Grouping &grouping : {one_group(4), group_by({0, 0, 1, 1})}) {
        for (const auto &has : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
            for (const Determinism level :
                 {Determinism::off, Determinism::run, Determinism::size, Determinism::layout}) {
                const bool window = has.first, messages = has.second;
                const bool tree = !window || level == Determinism::layout;
                const Team team = setting.team(window, messages, tree ? one_group(4) : grouping, level,
                                               tree ? Order::tree : Order::groups);
                const Choices choices = choose(team, Settings{});
                for_all_sizes([&](Kind kind, size_t bytes) {
                    const Row &row = choices.row(kind, bytes);
                    assert_null(row.refusal(team, bytes));
                    // Messages inside a machine are only for who asks for them.
                    assert_true(row.needs == (window ? Row::Needs::window : Row::Needs::transport));
                });
            }
        }
    }
}

void a_setting_is_obeyed_where_it_can_be(void **) {
    Setting setting;
    const Team team = setting.team(true, true, group_by({0, 0, 1, 1}));
    for (const Kind kind : collectives()) {
        for (const Row &row : algorithms(kind)) {
            Settings settings;
            settings.algorithms[static_cast<size_t>(kind)] = row.name;
            const Choices choices = choose(team, settings);
            for (size_t bytes = 1; bytes < size_t{1} << 30; bytes *= 2) {
                const Row &chosen = choices.row(kind, bytes);
                const Choice why = choices.explain(kind, bytes);
                assert_null(chosen.refusal(team, bytes));
                assert_ptr_equal(why.row, &chosen);
                const char *reason = row.refusal(team, bytes);
                if (!reason) {
                    assert_ptr_equal(&chosen, &row);
                    assert_true(why.by && why.passed_over.empty());
                } else {
                    assert_true(!why.by && why.passed_over.size() == 1);
                    assert_string_equal(why.passed_over[0].reason, reason);
                }
            }
            assert_true(want_transport(read_preferences(settings)) == (row.needs == Row::Needs::transport));
        }
    }
    assert_false(want_transport(read_preferences(Settings{})));
}

void an_unknown_algorithm_is_an_error_that_lists_them(void **) {
    for (const Kind kind : collectives()) {
        Settings settings;
        settings.algorithms[static_cast<size_t>(kind)] = "fastest";
        const std::string message = refused(settings);
        assert_true(message.find("\"fastest\" is not an algorithm of ") != std::string::npos);
        for (const Row &row : algorithms(kind)) {
            assert_true(message.find(row.name) != std::string::npos);
        }
    }
}

// What serves equal blocks only hands parts of other shapes to one that serves them the same way, so that ranks with
// and without a shape of their own still meet.
void parts_go_the_way_that_was_chosen_for_blocks(void **) {
    Setting setting;
    const Team team = setting.team(true, true, one_group(4));
    Portion part{};
    for (const char *name : {"one_shot", "streams", "messages"}) {
        Settings settings;
        settings.algorithms[static_cast<size_t>(Kind::allgather)] = name;
        const Choices choices = choose(team, settings);
        Op blocks{.kind = Kind::allgather, .dtype = Dtype::int32, .count = 100};
        Op parts = blocks;
        parts.in = parts.out = &part;
        assert_string_equal(choices.row(blocks).name, name);
        assert_true(choices.row(parts).serves_parts());
        assert_true(choices.row(parts).needs == choices.row(blocks).needs);
    }
}

void operators_of_users_get_what_serves_them(void **) {
    Setting setting;
    const Team team = setting.team(true, true, group_by({0, 0, 1, 1}));
    Settings settings;
    settings.algorithms[static_cast<size_t>(Kind::allreduce)] = "hierarchical";
    UserOperator affine;
    affine.fn = [](const void *, void *, size_t, xcoll_dtype_t, void *) -> xcoll_result_t { return XCOLL_SUCCESS; };
    Op op{.kind = Kind::allreduce, .dtype = Dtype::int64, .count = 3};
    const Choices hierarchical = choose(team, settings);
    assert_string_equal(hierarchical.row(op).name, "hierarchical");
    op.user = &affine;
    assert_true(hierarchical.row(op).serves_users());
    settings.algorithms[static_cast<size_t>(Kind::allreduce)] = "two_shot";
    assert_string_equal(choose(team, settings).row(op).name, "two_shot");
}

// ---- determinism

void a_level_refuses_orders_of_their_own(void **) {
    Setting setting;
    struct {
        Determinism level;
        Order order;
        bool ring, doubling, hierarchical;
    } const cases[] = {{Determinism::off, Order::groups, true, true, true},
                       {Determinism::run, Order::groups, true, true, true},
                       {Determinism::size, Order::groups, false, false, true},
                       {Determinism::size, Order::tree, false, true, false},
                       {Determinism::layout, Order::tree, false, true, false}};
    for (const auto &one : cases) {
        const Team team = setting.team(true, true, group_by({0, 0, 1, 1}), one.level, one.order);
        const auto serves = [&](const char *name) { return !find_algorithm(Kind::allreduce, name)->refusal(team, 8); };
        assert_true(serves("ring") == one.ring);
        assert_true(serves("doubling") == one.doubling);
        assert_true(serves("hierarchical") == one.hierarchical);
        assert_true(serves("one_shot") && serves("messages"));
    }
}

// More ranks than processors: each wait is for turns of all others.
void a_crowd_waits_as_rarely_as_it_can(void **) {
    Eight roomy(8), crowded(2);
    const Team at_ease = roomy.team(), in_turns = crowded.team();
    const Choices easy = choose(at_ease, Settings{}), busy = choose(in_turns, Settings{});
    for (const Kind kind : {Kind::allreduce, Kind::reduce, Kind::scan}) {
        assert_string_equal(easy.row(kind, size_t{64} << 10).name, "two_shot");
        assert_string_equal(busy.row(kind, 8192).name, "one_shot");
    }
    // Who reads alone reads faster than those who all read the same.
    assert_string_equal(easy.row(Kind::allreduce, 8192).name, "two_shot");
    assert_string_equal(easy.row(Kind::reduce, 8192).name, "one_shot");
    assert_string_equal(easy.row(Kind::scan, 8192).name, "one_shot");
    const Grouping halves = group_by({0, 0, 0, 0, 1, 1, 1, 1});
    assert_string_equal(choose(roomy.team(halves), Settings{}).row(Kind::allreduce, 64).name, "hierarchical");
    assert_string_equal(choose(crowded.team(halves), Settings{}).row(Kind::allreduce, 64).name, "one_shot");
    for (const Kind kind : {Kind::bcast, Kind::gather}) {
        assert_string_equal(easy.row(kind, size_t{32} << 10).name, "streams");
        assert_string_equal(busy.row(kind, size_t{32} << 10).name, "one_shot");
        assert_string_equal(busy.row(kind, size_t{64} << 10).name, "streams");
    }
    for (const Kind kind : collectives()) {
        for (size_t bytes = 1; bytes < size_t{1} << 40; bytes *= 4) {
            assert_null(busy.row(kind, bytes).refusal(in_turns, bytes));
        }
    }
}

// ---- copies by the kernel

// "alltoall from 65536" and so on, for all collectives in which it serves; "" if there are none.
std::string attached_in(const Team &team) {
    const Choices choices = choose(team, Settings{});
    std::string text;
    for (const Kind kind : collectives()) {
        for (size_t bytes = 1; bytes <= size_t{1} << 30; bytes *= 2) {
            if (std::string(choices.row(kind, bytes).name) == "attached") {
                text += (text.empty() ? "" : ", ") + std::string(name_of(kind)) + " from " + std::to_string(bytes);
                break;
            }
        }
    }
    return text;
}

void the_kernel_copies_where_that_is_less_work(void **) {
    constexpr size_t mib = size_t{1} << 20;
    for (const int processors : {2, 8}) {
        for (const size_t l2_bytes : {mib / 2, mib, 2 * mib}) {
            Eight ranks(processors, l2_bytes);
            Team team = ranks.team();
            team.window->lend_from(100'000);
            assert_string_equal(attached_in(team).c_str(), ""); // they share a process
            ranks.node().note_attach_refusal("");
            const bool spares_work = processors < 8 && l2_bytes != mib;
            const bool outgrown = processors == 8 && l2_bytes > mib;
            assert_string_equal(attached_in(team).c_str(), spares_work ? "alltoall from 65536, scatter from 65536"
                                                           : outgrown  ? "alltoall from 262144, scatter from 524288"
                                                                       : "");
            team.attach = Attach::on;
            assert_string_equal(attached_in(team).c_str(), "bcast from 131072, allgather from 131072, "
                                                           "alltoall from 16384, gather from 131072, "
                                                           "scatter from 16384");
            team.attach = Attach::off;
            assert_string_equal(attached_in(team).c_str(), "");
            team.attach = Attach::on;
            ranks.node().note_attach_refusal("rank 3 may not");
            assert_string_equal(attached_in(team).c_str(), "");
            assert_string_equal(find_algorithm(Kind::scatter, "attached")->refusal(team, mib), "rank 3 may not");
        }
    }
}

// Two ranks that all-gather have one reader each; in a crowd that gains nothing.
void an_all_gather_of_two_is_a_swap(void **) {
    for (const int processors : {2, 8}) {
        Eight ranks(processors, size_t{2} << 20);
        ranks.node().note_attach_refusal("");
        Team pair = ranks.team();
        pair.size = 2;
        assert_string_equal(attached_in(pair).c_str(),
                            processors < 8 ? "alltoall from 262144, scatter from 262144"
                                           : "allgather from 2097152, alltoall from 1048576, scatter from 2097152");
    }
}

// ---- sizes

// Whatever it is asked for must fit in one piece; the classes of sizes must not round across that.
void uneven_parts_of_a_sum_go_the_way_of_equal_ones(void **) {
    Setting setting;
    const Grouping grouping = one_group(4);
    const Team team = setting.team(true, false, grouping);
    const Choices choices(team, {});
    for (size_t part = 1; part <= size_t{1} << 30; part *= 2) {
        assert_ptr_equal(choices.row(Kind::reduce_scatter, part).run, choices.row(Kind::reduce_scatterv, 4 * part).run);
    }
}

void one_piece_is_never_chosen_for_what_does_not_fit(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices choices = choose(team, Settings{});
    const size_t largest = largest_message(*team.window);
    for (size_t bytes = largest - 100; bytes < largest + 100; ++bytes) {
        assert_true(choices.row(Kind::allreduce, bytes).run != one_shot || bytes <= largest);
    }
}

// Whoever asks first finds it, and all that ask later get the same.
void a_choice_does_not_depend_on_who_asked_before(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices one = choose(team, Settings{}), other = choose(team, Settings{});
    constexpr size_t largest = size_t{1} << 24;
    for (size_t bytes = 1; bytes <= largest; bytes *= 2) {
        one.row(Kind::allreduce, bytes);
    }
    for (size_t bytes = largest; bytes > 0; bytes /= 2) {
        for (const Kind kind : {Kind::allreduce, Kind::bcast, Kind::scan}) {
            const Row &row = other.row(kind, bytes - bytes / 4);
            assert_ptr_equal(&one.row(kind, bytes), &row);
            assert_ptr_equal(&one.row(kind, bytes), &one.row(kind, bytes));
            assert_ptr_equal(one.explain(kind, bytes).row, &row);
        }
    }
}

// They are known apart from the others, and every size has one that serves them.
void operators_of_users_are_served_at_every_size(void **) {
    Setting setting;
    UserOperator own;
    own.fn = [](const void *, void *, size_t, xcoll_dtype_t, void *) -> xcoll_result_t { return XCOLL_SUCCESS; };
    for (const bool in_window : {true, false}) {
        const Team team = setting.team(in_window, !in_window, one_group(4));
        const Choices rising = choose(team, Settings{}), falling = choose(team, Settings{});
        constexpr int largest = 43;
        for (const Kind kind : {Kind::allreduce, Kind::reduce, Kind::reduce_scatter, Kind::scan, Kind::exscan}) {
            Op op{.kind = kind, .dtype = Dtype::uint8};
            op.user = &own;
            const Row *rows[largest + 1];
            for (int bits = 0; bits <= largest; ++bits) {
                op.count = size_t{1} << bits;
                rows[bits] = &rising.row(op);
                assert_ptr_equal(&rising.row(kind, op.count), rising.explain(kind, op.count).row);
                assert_true(rows[bits]->serves_users());
                assert_ptr_equal(&rising.row(op), rows[bits]);
            }
            for (int bits = largest; bits >= 0; --bits) {
                op.count = size_t{1} << bits;
                assert_ptr_equal(&falling.row(op), rows[bits]);
            }
        }
    }
}

void sizes_fall_into_classes_by_powers_of_two(void **) {
    assert_int_equal(Choices::size_class(0), 0);
    assert_int_equal(Choices::size_class(1), 0);
    assert_int_equal(Choices::size_class(2), 1);
    assert_int_equal(Choices::size_class(3), 2);
    assert_int_equal(Choices::size_class(4), 2);
    assert_int_equal(Choices::size_class(4097), 13);
    assert_int_equal(Choices::size_class(size_t{1} << 63), 63);
    assert_int_equal(Choices::size_class(~size_t{0}), 64);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_call_has_an_algorithm_that_can_serve_it),
        cmocka_unit_test(a_setting_is_obeyed_where_it_can_be),
        cmocka_unit_test(an_unknown_algorithm_is_an_error_that_lists_them),
        cmocka_unit_test(parts_go_the_way_that_was_chosen_for_blocks),
        cmocka_unit_test(operators_of_users_get_what_serves_them),
        cmocka_unit_test(a_level_refuses_orders_of_their_own),
        cmocka_unit_test(a_crowd_waits_as_rarely_as_it_can),
        cmocka_unit_test(the_kernel_copies_where_that_is_less_work),
        cmocka_unit_test(an_all_gather_of_two_is_a_swap),
        cmocka_unit_test(uneven_parts_of_a_sum_go_the_way_of_equal_ones),
        cmocka_unit_test(one_piece_is_never_chosen_for_what_does_not_fit),
        cmocka_unit_test(a_choice_does_not_depend_on_who_asked_before),
        cmocka_unit_test(operators_of_users_are_served_at_every_size),
        cmocka_unit_test(sizes_fall_into_classes_by_powers_of_two),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

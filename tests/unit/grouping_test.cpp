// Which ranks are added up first, and which algorithm serves which message.
#include "cmocka_cpp.h"

#include <cstring>
#include <string>

#include "coll/message_algorithms.h"
#include "coll/payload.h"
#include "coll/select.h"
#include "coll/window_algorithms.h"
#include "window_ranks.h"

using namespace window_ranks;

namespace {

using Sizes = std::vector<uint32_t>;
using Order = std::vector<int>;

void expect_grouping(const Grouping &grouping, const Sizes &sizes, const Order &order) {
    assert_true(grouping.sizes == sizes);
    assert_true(grouping.order == order);
    assert_int_equal(grouping.groups(), sizes.size());
    uint32_t first = 0;
    for (uint32_t group = 0; group < grouping.groups(); ++group) {
        assert_int_equal(grouping.first[group], first);
        assert_int_equal(grouping.leader(group), order[first]);
        for (uint32_t i = 0; i < sizes[group]; ++i) {
            assert_int_equal(grouping.group_of[static_cast<size_t>(order[first + i])], group);
        }
        first += sizes[group];
    }
}

void one_group_holds_all_in_order(void **) {
    expect_grouping(one_group(1), {1}, {0});
    expect_grouping(one_group(5), {5}, {0, 1, 2, 3, 4});
}

// Groups are in the order of their lowest ranks, whatever their labels are.
void labels_make_groups(void **) {
    expect_grouping(group_by({7, 3, 7, 3, 7}), {3, 2}, {0, 2, 4, 1, 3});
    expect_grouping(group_by({2, 1, 0}), {1, 1, 1}, {0, 1, 2});
    expect_grouping(group_by({4, 4, -9, 4}), {3, 1}, {0, 1, 3, 2});
}

Place place(int l3, int numa, int socket) {
    return {l3, numa, socket};
}

void the_lowest_level_that_splits_makes_groups(void **) {
    // Two L3s of two ranks each.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 0, 0), place(0, 0, 0), place(1, 0, 0)}), {2, 2},
                    {0, 2, 1, 3});
    // One rank under each L3: the NUMA nodes count.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 0, 0), place(2, 1, 0), place(3, 1, 0)}), {2, 2},
                    {0, 1, 2, 3});
    // All in one L3 and NUMA node cannot be on two sockets, but then the sockets would count.
    expect_grouping(group_by_place({place(0, 0, 0), place(0, 0, 1), place(0, 0, 0), place(0, 0, 1)}), {2, 2},
                    {0, 2, 1, 3});
    // An L3 that a rank does not know says nothing.
    expect_grouping(group_by_place({place(0, 0, 0), place(-1, 1, 0), place(0, 0, 0), place(1, 1, 0)}), {2, 2},
                    {0, 2, 1, 3});
    // Uneven ones.
    expect_grouping(group_by_place({place(5, 0, 0), place(5, 0, 0), place(6, 0, 0)}), {2, 1}, {0, 1, 2});
}

void nothing_to_split_is_one_group(void **) {
    const Order order = {0, 1, 2, 3};
    const std::vector<Place> one_cache(4, place(0, 0, 0)), unknown(4);
    expect_grouping(group_by_place(one_cache), {4}, order);
    expect_grouping(group_by_place(unknown), {4}, order);
    // Everybody far from everybody: no sum of a group could be shared.
    expect_grouping(group_by_place({place(0, 0, 0), place(1, 1, 1), place(2, 2, 2), place(3, 3, 3)}), {4}, order);
    expect_grouping(group_by_place({place(0, 0, 0)}), {1}, {0});
}

// ---- selection

// Only its address is asked for.
class NoTransport final : public Transport {
public:
    int rank() const override {
        return 0;
    }
    int size() const override {
        return 1;
    }
    Ticket send(int, const Envelope &, const void *, size_t) override {
        return {};
    }
    Ticket recv(int, const Envelope &, void *, size_t) override {
        return {};
    }
    void finish(const Ticket &) override {
    }
    bool progress() override {
        return false;
    }
    void cancel_all() override {
    }
};

struct Setting {
    Ranks ranks{4};
    std::vector<std::shared_ptr<Window>> windows = ranks.open();
    NoTransport transport;
    ScratchPool scratch;
    Team team(bool window, bool messages, const Grouping &grouping) {
        return {
            0,       4, window ? windows[0].get() : nullptr, messages ? &transport : nullptr, grouping, &best_kernels(),
            &scratch};
    }
};

constexpr Kind all_kinds[] = {Kind::barrier, Kind::bcast, Kind::allreduce, Kind::words};

template <class Check> void for_all_sizes(Check check) {
    for (const Kind kind : all_kinds) {
        for (size_t bytes = kind == Kind::words ? inline_bytes : 0; bytes < size_t{1} << 40; bytes = bytes * 2 + 1) {
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
            const bool window = has.first, messages = has.second;
            const Team team = setting.team(window, messages, grouping);
            const Choices choices(team, Settings{});
            for_all_sizes([&](Kind kind, size_t bytes) {
                const Row &row = choices.row(kind, bytes);
                assert_null(row.refusal(team, bytes));
                // Messages inside a machine are only for who asks for them.
                assert_true(row.needs == (window ? Row::Needs::window : Row::Needs::transport));
            });
        }
    }
}

void a_setting_is_obeyed_where_it_can_be(void **) {
    Setting setting;
    const Team team = setting.team(true, true, group_by({0, 0, 1, 1}));
    for (const Kind kind : {Kind::barrier, Kind::bcast, Kind::allreduce}) {
        for (const Row &row : algorithms(kind)) {
            Settings settings;
            (kind == Kind::barrier ? settings.barrier
             : kind == Kind::bcast ? settings.bcast
                                   : settings.allreduce) = row.name;
            const Choices choices(team, settings);
            for (size_t bytes = 1; bytes < size_t{1} << 30; bytes *= 2) {
                const Row &chosen = choices.row(kind, bytes);
                assert_null(chosen.refusal(team, bytes));
                if (!row.refusal(team, bytes)) {
                    assert_ptr_equal(&chosen, &row);
                }
            }
            assert_true(wants_transport(settings) == (row.needs == Row::Needs::transport));
        }
    }
    assert_false(wants_transport(Settings{}));
}

void an_unknown_algorithm_is_an_error_that_lists_them(void **) {
    Setting setting;
    Settings settings;
    settings.allreduce = "fastest";
    std::string message;
    try {
        const Choices choices(setting.team(true, false, one_group(4)), settings);
    } catch (const Failure &failure) {
        assert_int_equal(failure.result(), XCOLL_ERR_CONFIG);
        message = failure.message();
    }
    for (const char *part : {"fastest", "allreduce", "one_shot", "ring"}) {
        assert_non_null(std::strstr(message.c_str(), part));
    }
}

// Whatever it is asked for must fit in one piece; the classes of sizes must not round across that.
void one_piece_is_never_chosen_for_what_does_not_fit(void **) {
    Setting setting;
    const Team team = setting.team(true, false, one_group(4));
    const Choices choices(team, Settings{});
    const size_t largest = largest_message(*team.window);
    for (size_t bytes = largest - 100; bytes < largest + 100; ++bytes) {
        assert_true(choices.row(Kind::allreduce, bytes).run != one_shot || bytes <= largest);
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
        cmocka_unit_test(one_group_holds_all_in_order),
        cmocka_unit_test(labels_make_groups),
        cmocka_unit_test(the_lowest_level_that_splits_makes_groups),
        cmocka_unit_test(nothing_to_split_is_one_group),
        cmocka_unit_test(every_call_has_an_algorithm_that_can_serve_it),
        cmocka_unit_test(a_setting_is_obeyed_where_it_can_be),
        cmocka_unit_test(an_unknown_algorithm_is_an_error_that_lists_them),
        cmocka_unit_test(one_piece_is_never_chosen_for_what_does_not_fit),
        cmocka_unit_test(sizes_fall_into_classes_by_powers_of_two),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}

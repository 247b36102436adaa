// Random programs on up to 17 ranks, under every kind of schedule: right results, identical on all ranks, and no rank
// waits for ever.
// timeout: 900
#include "cmocka_cpp.h"

#include "sim/program.h"
#include "sim/seeds.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

constexpr uint64_t most_events = 20'000'000;

struct Totals {
    Coverage coverage;
    uint64_t programs = 0, events = 0, most_events_of_one = 0;
};

void print(const char *what, const Totals &totals) {
    const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf("%s: %llu programs, %llu operations (%llu without room, %llu lent, %llu mismatches, %llu cut), "
                "%llu in turns, %llu in batons, %llu through them, %llu communicators freed, up to %llu in flight, "
                "%llu events (at most "
                "%llu of one program, budget %llu)\n",
                what, number(totals.programs), number(totals.coverage.operations), number(totals.coverage.without_room),
                number(totals.coverage.lent), number(totals.coverage.mismatches), number(totals.coverage.cut),
                number(totals.coverage.in_turns), number(totals.coverage.in_batons),
                number(totals.coverage.through_batons), number(totals.coverage.remade),
                number(totals.coverage.most_in_flight), number(totals.events), number(totals.most_events_of_one),
                number(most_events));
}

void run_program(uint64_t seed, const Flavour &flavour, Totals &totals) {
    Random random(seed);
    const bool few = flavour.pairs || random.percent(30);
    const int ranks = static_cast<int>(few ? random.between(2, flavour.pairs ? 3 : 4) : random.between(1, 17));
    const Schedule schedule{static_cast<Policy>(random.below(4)), random.next()};
    constexpr size_t heap_bytes = size_t{1} << 30;
    // With heaps messages need rings in which they have room, to be shown in one piece.
    const bool has_room = flavour.pairs || (flavour.heaps && random.percent(50));
    const size_t budget = has_room ? size_t{16} << 20 : smallest_rings;
    World world(ranks, budget, flavour.heaps ? heap_bytes : 0);
    Simulator simulator(ranks, schedule, most_events);
    Program program(world, simulator, flavour, random.next());
    try {
        program.run(totals.coverage);
    } catch (const std::exception &error) {
        throw std::runtime_error(format("%d ranks, schedule %s: ", ranks, name_of(schedule.policy)) + error.what());
    }
    ++totals.programs;
    totals.events += simulator.events();
    totals.most_events_of_one = std::max(totals.most_events_of_one, simulator.events());
}

Coverage run_programs(const char *what, uint64_t programs, const Flavour &flavour) {
    Totals totals;
    assert_true(every_seed(what, programs, [&](uint64_t seed) { run_program(seed, flavour, totals); }));
    print(what, totals);
    return totals.coverage;
}

// ---- by loads and stores

void mixed_operations_on_many_communicators_give_the_right_bits(void **) {
    const Coverage coverage = run_programs("mixed operations", 600, {});
    assert_true(coverage.without_room > 0 && coverage.remade > 0 && coverage.cut > 0);
    assert_true(coverage.most_in_flight > cells);
}

void operations_on_memory_that_peers_use_where_it_lies_give_the_right_bits(void **) {
    Flavour flavour;
    flavour.heaps = true;
    assert_true(run_programs("heaps", 600, flavour).lent > 0);
    flavour.offenders_percent = 15;
    assert_true(run_programs("heaps mismatches", 200, flavour).mismatches > 0);
}

void one_communicator_with_long_bursts_gives_the_right_bits(void **) {
    Flavour flavour;
    flavour.operations = 120;
    flavour.communicators = false;
    flavour.traffic = size_t{1} << 18;
    run_programs("one communicator", 400, flavour);
}

void two_ranks_that_swap_wide_slots_get_the_right_bits(void **) {
    Flavour flavour;
    flavour.pairs = true;
    assert_true(run_programs("pairs", 300, flavour).in_turns > 0);
    flavour.offenders_percent = 15;
    assert_true(run_programs("pairs mismatches", 200, flavour).mismatches > 0);
}

void what_two_ranks_hand_to_and_fro_has_the_right_bits(void **) {
    Flavour flavour;
    flavour.pairs = flavour.one_way = true;
    flavour.traffic = 4 * baton_bytes; // some do not fit
    const Coverage coverage = run_programs("batons", 200, flavour);
    assert_true(coverage.in_batons > 300 && coverage.through_batons > 30);
    flavour.offenders_percent = 15;
    assert_true(run_programs("batons mismatches", 200, flavour).mismatches > 0);
}

void a_mismatched_call_is_reported_by_those_who_wait_and_harms_nothing_else(void **) {
    Flavour flavour;
    flavour.operations = 60;
    flavour.offenders_percent = 15;
    assert_true(run_programs("mismatches", 400, flavour).mismatches > 0);
}

// ---- by messages

Flavour by_messages(Fabric fabric, bool mixed) {
    Flavour flavour;
    flavour.fabric = fabric;
    flavour.messages = mixed;
    flavour.communicators = mixed;
    flavour.traffic = size_t{1} << 20;
    return flavour;
}

void messages_through_a_network_give_the_right_sums(void **) {
    const Flavour flavour = by_messages(Fabric::network, false);
    assert_true(run_programs("network", 200, flavour).cut > 0);
}

void messages_through_windows_give_the_right_sums(void **) {
    const Flavour flavour = by_messages(Fabric::window_and_lanes, true);
    run_programs("lanes", 200, flavour);
}

void a_mismatched_call_is_reported_over_a_network(void **) {
    Flavour flavour = by_messages(Fabric::network, false);
    flavour.offenders_percent = 15;
    assert_true(run_programs("network mismatches", 200, flavour).mismatches > 0);
}

void a_mismatched_call_is_reported_where_some_algorithms_use_messages(void **) {
    Flavour flavour = by_messages(Fabric::window_and_lanes, true);
    flavour.offenders_percent = 15;
    assert_true(run_programs("lanes mismatches", 200, flavour).mismatches > 0);
}

} // namespace

// An argument picks tests by a pattern, such as "*network*".
int main(int argc, char **argv) {
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    const CMUnitTest tests[] = {
        cmocka_unit_test(mixed_operations_on_many_communicators_give_the_right_bits),
        cmocka_unit_test(operations_on_memory_that_peers_use_where_it_lies_give_the_right_bits),
        cmocka_unit_test(one_communicator_with_long_bursts_gives_the_right_bits),
        cmocka_unit_test(two_ranks_that_swap_wide_slots_get_the_right_bits),
        cmocka_unit_test(what_two_ranks_hand_to_and_fro_has_the_right_bits),
        cmocka_unit_test(a_mismatched_call_is_reported_by_those_who_wait_and_harms_nothing_else),
        cmocka_unit_test(messages_through_a_network_give_the_right_sums),
        cmocka_unit_test(messages_through_windows_give_the_right_sums),
        cmocka_unit_test(a_mismatched_call_is_reported_over_a_network),
        cmocka_unit_test(a_mismatched_call_is_reported_where_some_algorithms_use_messages),
    };
    return cmocka_run_group_tests_name("simulated programs", tests, nullptr, nullptr);
}

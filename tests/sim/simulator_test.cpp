// The simulator itself: it repeats its runs, notices who waits for ever, and does to ranks what its policies say.
#include "cmocka_cpp.h"

#include <cstring>
#include <string>

#include "fabric/sim/simulator.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

// A rank that counts to `last`, each number after the other one has come as far as the one before (lag behind).
Task count(TaskHome &, Signal &mine, const Signal &other, uint64_t last, uint64_t lag) {
    for (uint64_t i = 1; i <= last; ++i) {
        co_await Until{&other, i > lag ? i - lag : 0, 1};
        mine.store(i);
    }
}

// Ranks that only run; every step is noted.
Task note_steps(TaskHome &, std::string &steps, char name, int times, Signal &always) {
    for (int i = 0; i < times; ++i) {
        co_await Until{&always, 0, -1};
        steps += name;
    }
}

std::string steps_of(const Schedule &schedule, int ranks, int times) {
    Simulator simulator(ranks, schedule, 1'000'000);
    std::string steps;
    Signal always;
    for (int rank = 0; rank < ranks; ++rank) {
        simulator.spawn(rank, "noting its steps", [&](TaskHome &home) {
            return note_steps(home, steps, static_cast<char>('a' + rank), times, always);
        });
    }
    simulator.run();
    return steps;
}

void the_same_seed_gives_the_same_run(void **) {
    for (int policy = 0; policy < policies; ++policy) {
        const Schedule schedule{static_cast<Policy>(policy), 7};
        assert_string_equal(steps_of(schedule, 5, 50).c_str(), steps_of(schedule, 5, 50).c_str());
    }
    assert_string_not_equal(steps_of({Policy::uniform, 1}, 5, 50).c_str(),
                            steps_of({Policy::uniform, 2}, 5, 50).c_str());
}

void round_robin_lets_everybody_take_turns(void **) {
    assert_string_equal(steps_of({Policy::round_robin, 1}, 3, 3).c_str(), "bcabcabca");
}

size_t longest_run(const std::string &steps) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
        run = i > 0 && steps[i] == steps[i - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
    }
    return longest;
}

void a_burst_is_much_longer_than_chance_would_have_it(void **) {
    assert_true(longest_run(steps_of({Policy::burst, 3}, 4, 500)) > 100);
    assert_true(longest_run(steps_of({Policy::uniform, 3}, 4, 500)) < 20);
}

// How many steps of others pass at most between two of one rank that has more to do.
size_t longest_starvation(const std::string &steps, int ranks) {
    size_t longest = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        size_t last = 0;
        for (size_t i = 0; i < steps.size(); ++i) {
            if (steps[i] == static_cast<char>('a' + rank)) {
                longest = std::max(longest, i - last);
                last = i;
            }
        }
    }
    return longest;
}

void a_starved_rank_waits_for_thousands_of_events(void **) {
    assert_true(longest_starvation(steps_of({Policy::starve, 5}, 4, 20000), 4) > 1000);
    assert_true(longest_starvation(steps_of({Policy::uniform, 5}, 4, 20000), 4) < 200);
}

void a_deadlock_tells_who_waits_for_whom(void **) {
    Simulator simulator(2, {}, 1000);
    Signal first, second;
    simulator.spawn(0, "counting", [&](TaskHome &home) { return count(home, first, second, 9, 0); });
    simulator.spawn(1, "counting, too", [&](TaskHome &home) { return count(home, second, first, 9, 0); });
    try {
        simulator.run();
        assert_true(false);
    } catch (const Stuck &stuck) {
        assert_non_null(std::strstr(stuck.what(), "nobody can move"));
        assert_non_null(std::strstr(stuck.what(), "rank 0: counting waits for rank 1: has 0, wants 1"));
        assert_non_null(std::strstr(stuck.what(), "rank 1: counting, too waits"));
    }
}

void ranks_that_wait_for_each_other_in_turn_come_to_their_end(void **) {
    for (int policy = 0; policy < policies; ++policy) {
        Simulator simulator(2, {static_cast<Policy>(policy), 1}, 1000);
        Signal first, second;
        simulator.spawn(0, "counting", [&](TaskHome &home) { return count(home, first, second, 100, 1); });
        simulator.spawn(1, "counting", [&](TaskHome &home) { return count(home, second, first, 100, 0); });
        simulator.run();
        assert_int_equal(first.read(), 100);
        assert_int_equal(second.read(), 100);
    }
}

void a_run_without_end_is_over_when_its_budget_is(void **) {
    Simulator simulator(1, {}, 500);
    Signal mine, other;
    simulator.spawn(0, "counting",
                    [&](TaskHome &home) { return count(home, mine, other, ~uint64_t{0}, ~uint64_t{0}); });
    try {
        simulator.run();
        assert_true(false);
    } catch (const Stuck &stuck) {
        assert_non_null(std::strstr(stuck.what(), "more than 500 events"));
    }
}

Task fail_later(TaskHome &, Signal &always) {
    co_await Until{&always, 0, -1};
    throw std::runtime_error("as agreed");
}

void what_a_task_throws_ends_the_run(void **) {
    Simulator simulator(1, {}, 500);
    Signal always;
    simulator.spawn(0, "failing", [&](TaskHome &home) { return fail_later(home, always); });
    try {
        simulator.run();
        assert_true(false);
    } catch (const std::runtime_error &error) {
        assert_string_equal(error.what(), "as agreed");
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(round_robin_lets_everybody_take_turns),
        cmocka_unit_test(a_burst_is_much_longer_than_chance_would_have_it),
        cmocka_unit_test(a_starved_rank_waits_for_thousands_of_events),
        cmocka_unit_test(a_deadlock_tells_who_waits_for_whom),
        cmocka_unit_test(ranks_that_wait_for_each_other_in_turn_come_to_their_end),
        cmocka_unit_test(a_run_without_end_is_over_when_its_budget_is),
        cmocka_unit_test(what_a_task_throws_ends_the_run),
    };
    return cmocka_run_group_tests_name("simulator", tests, nullptr, nullptr);
}

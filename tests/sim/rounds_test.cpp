// How long the message algorithms take, in virtual time: the number of messages one after the other, and the bytes that
// a rank sends, are those that the algorithms' files promise.
#include "cmocka_cpp.h"

#include <bit>
#include <cmath>
#include <string>

#include "sim/operation.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

constexpr int most_ranks = 40;

const Row &row(Kind kind, const std::string &name) {
    for (const Row &candidate : algorithms(kind)) {
        if (name == candidate.name) {
            return candidate;
        }
    }
    throw std::runtime_error("there is no algorithm " + name);
}

double time_of(World &world, Kind kind, const std::string &algorithm, int ranks, size_t count, const LinkModel &model) {
    Simulator simulator(ranks, {Policy::by_time, 1}, 10'000'000);
    Group group(world, simulator, first_ranks(ranks), one_group(ranks), Fabric::network, true, model);
    group.make();
    Call call;
    call.kind = kind;
    call.algorithm = &row(kind, algorithm);
    if (kind != Kind::barrier) {
        call.dtype = Dtype::int32;
        call.count = count;
    }
    if (kind == Kind::allreduce) {
        call.op = Operator::sum;
    }
    if (kind == Kind::bcast) {
        call.root = ranks / 3;
    }
    Coverage coverage;
    Operation operation(group, call, 1);
    for (int p = 0; p < ranks; ++p) {
        operation.start(simulator, p, coverage);
    }
    simulator.run();
    return simulator.now();
}

// Messages that take a time unit each and nothing else: the longest chain of them.
double rounds(World &world, Kind kind, const std::string &algorithm, int ranks) {
    constexpr LinkModel model{.latency_ns = 1, .gap_ns = 0, .per_byte_ns = 0, .eager_bytes = ~size_t{0}};
    return time_of(world, kind, algorithm, ranks, 4, model);
}

int log2_up(int ranks) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

void trees_take_a_logarithm_of_rounds(void **) {
    World world(most_ranks);
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        const int log = log2_up(ranks);
        assert_true(rounds(world, Kind::barrier, "dissemination", ranks) == log);
        assert_true(rounds(world, Kind::words, "exchange", ranks) == log);
        // Where no child has all of its children, chains are shorter.
        const double tree = rounds(world, Kind::bcast, "tree", ranks);
        assert_true(std::has_single_bit(static_cast<unsigned>(ranks)) ? tree == log : tree <= log);
    }
}

void doubling_takes_at_most_two_rounds_more_without_a_power_of_two(void **) {
    World world(most_ranks);
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        const bool power = std::has_single_bit(static_cast<unsigned>(ranks));
        const double taken = rounds(world, Kind::allreduce, "doubling", ranks);
        const int rounded_down = power ? log2_up(ranks) : log2_up(ranks) - 1;
        assert_true(taken >= log2_up(ranks) && taken <= rounded_down + (power ? 0 : 2));
    }
}

void the_ring_goes_round_twice(void **) {
    World world(most_ranks);
    for (int ranks = 1; ranks <= most_ranks; ++ranks) {
        assert_true(rounds(world, Kind::allreduce, "ring", ranks) == 2 * (ranks - 1));
    }
}

// Only bytes cost time: a rank sends 2 (P-1)/P of the message in a ring, log2 P of it when doubling.
void the_ring_sends_as_little_as_possible(void **) {
    constexpr LinkModel model{.latency_ns = 0, .gap_ns = 0, .per_byte_ns = 1, .eager_bytes = ~size_t{0}};
    World world(16);
    for (const int ranks : {2, 4, 8, 16}) {
        const size_t count = 64 * 1024;
        const double message = static_cast<double>(count) * 4;
        const double ring = time_of(world, Kind::allreduce, "ring", ranks, count, model) / message;
        const double doubling = time_of(world, Kind::allreduce, "doubling", ranks, count, model) / message;
        const double least = 2.0 * (ranks - 1) / ranks;
        assert_true(ring >= least - 0.01 && ring < 1.6 * least);
        assert_true(std::fabs(doubling - log2_up(ranks)) < 0.01);
    }
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(trees_take_a_logarithm_of_rounds),
        cmocka_unit_test(doubling_takes_at_most_two_rounds_more_without_a_power_of_two),
        cmocka_unit_test(the_ring_goes_round_twice),
        cmocka_unit_test(the_ring_sends_as_little_as_possible),
    };
    return cmocka_run_group_tests_name("rounds", tests, nullptr, nullptr);
}

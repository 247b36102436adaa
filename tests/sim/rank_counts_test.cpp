// Every algorithm at every number of ranks from 1 to 257, with and without groups.
// timeout: 900
#include "cmocka_cpp.h"

#include <array>

#include "coll/dynamic.h"
#include "sim/operation.h"
#include "sim/seeds.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

constexpr int most_ranks = 257;
constexpr int few_ranks = 40;
constexpr uint64_t most_events = 10'000'000; // of one operation; 257 ranks need some 500 000

constexpr Kind kinds_in_use[] = {Kind::barrier,         Kind::bcast,          Kind::allreduce,     Kind::words,
                                 Kind::reduce,          Kind::reduce_scatter, Kind::scan,          Kind::exscan,
                                 Kind::reduce_scatterv, Kind::allgather,      Kind::alltoall,      Kind::gather,
                                 Kind::scatter,         Kind::allgather_dyn,  Kind::alltoall_dyn,  Kind::allgatherv,
                                 Kind::alltoallv,       Kind::gatherv,        Kind::scatterv,      Kind::reshard,
                                 Kind::group,           Kind::group_reduce,   Kind::reshard_reduce};

// Several blocks of the smallest ring where the ranks are few; many ranks get less, since all of them read all.
size_t count_for(const Call &call, int ranks) {
    const size_t traffic = size_t{256} << 10;
    const auto p = static_cast<size_t>(ranks);
    const size_t all = std::clamp<size_t>(traffic / p / sizeof(float), 64, 20000);
    const bool blocks = call.is_dynamic() ||
                        call.has({Kind::reduce_scatter, Kind::allgather, Kind::alltoall, Kind::gather, Kind::scatter});
    return call.kind == Kind::words ? 4 : blocks ? all / p + 1 : all;
}

// One operation of all ranks; few ranks do it twice, and the second one finds what the first has left behind.
void run_row(World &world, Kind kind, const Row &row, int ranks, const Grouping &grouping, Fabric fabric,
             Determinism level, Coverage &coverage) {
    const auto seed = static_cast<uint64_t>(ranks);
    const Schedule schedule{static_cast<Policy>(ranks % 4), seed};
    Simulator simulator(ranks, schedule, 2 * most_events);
    Group group(world, simulator, first_ranks(ranks), grouping, fabric);
    group.promise(level);
    group.make();
    Call call;
    call.kind = kind;
    call.algorithm = &row;
    if (kind != Kind::barrier) {
        call.dtype = Dtype::float32;
        call.count = count_for(call, ranks);
    }
    call.dice = seed;
    if (call.reduces()) {
        call.op = Operator::sum;
    }
    if (call.has({Kind::bcast, Kind::reduce, Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv})) {
        call.root = ranks / 2;
    }
    if (call.has(kinds_with_parts)) {
        Random random(seed);
        call.count = count_for(call, ranks) / static_cast<size_t>(ranks) + 1;
        call.moves = some_moves(kind, call.root, ranks, random);
    }
    while (row.refusal(group.team(0), call.bytes()) && call.count > 1) {
        call.count /= 2;
    }
    if (row.refusal(group.team(0), call.bytes())) {
        group.free();
        return;
    }
    if (kind == Kind::reduce_scatterv) {
        call.counts.assign(static_cast<size_t>(ranks), call.count / static_cast<size_t>(ranks));
        call.counts[0] += call.count % static_cast<size_t>(ranks);
    } else if (kind == Kind::group_reduce) {
        call.count = std::min(call.count, slot_bytes / size_of(call.dtype));
        call.counts = {call.count / 3, 0, call.count - call.count / 3};
    }
    Operation first(group, call, seed), second(group, call, seed + 1);
    for (Operation *operation : {&first, &second}) {
        if (operation == &second && ranks > few_ranks) {
            break;
        }
        for (int p = 0; p < ranks; ++p) {
            operation->start(simulator, p, coverage);
        }
    }
    simulator.run();
    group.free();
}

// Groups are for allreduce; many ranks have them by turns.
std::vector<Grouping> groupings_for(Kind kind, const Row &row, int ranks) {
    if (kind != Kind::allreduce || row.needs != Row::Needs::window) {
        return {one_group(ranks)};
    }
    if (ranks <= few_ranks) {
        return {one_group(ranks), some_groups(ranks)};
    }
    return {ranks % 2 == 0 && std::string("hierarchical") != row.name ? one_group(ranks) : some_groups(ranks)};
}

void run_all(Fabric fabric, Row::Needs needs, int step, Determinism level = Determinism::run) {
    World world(most_ranks);
    Coverage coverage;
    std::array<int, kinds> rows{};
    for (int ranks = 1; ranks <= most_ranks; ranks += ranks < few_ranks ? 1 : step) {
        for (const Kind kind : kinds_in_use) {
            for (const Row &row : algorithms(kind)) {
                // A message between any two ranks takes the simulator long.
                const bool all_pairs = row.run == reduce_gathered || row.run == reduce_messages ||
                                       row.run == exchange_messages || row.run == dynamic_messages;
                if (row.needs != needs || (all_pairs && ranks > few_ranks && ranks % 31 != 0)) {
                    continue;
                }
                for (const Grouping &grouping : groupings_for(kind, row, ranks)) {
                    const uint64_t before = coverage.operations;
                    try {
                        run_row(world, kind, row, ranks, grouping, fabric, level, coverage);
                    } catch (const std::exception &error) {
                        std::printf("%s by %s, %d ranks in %u groups: %s\n", name_of(kind), row.name, ranks,
                                    grouping.groups(), error.what());
                        assert_true(false);
                    }
                    rows[static_cast<size_t>(kind)] += coverage.operations > before;
                }
            }
        }
    }
    for (const Kind kind : kinds_in_use) {
        const bool needs_memory = kind == Kind::group_reduce;
        if (needs_memory && needs == Row::Needs::transport) {
            continue;
        }
        assert_true(rows[static_cast<size_t>(kind)] >= few_ranks / step);
    }
    std::printf("%llu operations of one rank\n", static_cast<unsigned long long>(coverage.operations));
}

void shared_memory_serves_every_number_of_ranks(void **) {
    run_all(Fabric::window, Row::Needs::window, 1);
}
// Grouped or not, by loads and stores or by messages: the tree over the ranks, of which only their number is known.
void with_layout_every_number_of_ranks_adds_up_in_one_order(void **) {
    run_all(Fabric::window, Row::Needs::window, 31, Determinism::layout);
    run_all(Fabric::window_and_lanes, Row::Needs::transport, 62, Determinism::layout);
    run_all(Fabric::network, Row::Needs::transport, 31, Determinism::layout);
}
void lanes_serve_many_numbers_of_ranks(void **) {
    run_all(Fabric::window_and_lanes, Row::Needs::transport, 31);
}
void a_network_serves_every_number_of_ranks(void **) {
    run_all(Fabric::network, Row::Needs::transport, 1);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_serves_every_number_of_ranks),
        cmocka_unit_test(with_layout_every_number_of_ranks_adds_up_in_one_order),
        cmocka_unit_test(lanes_serve_many_numbers_of_ranks),
        cmocka_unit_test(a_network_serves_every_number_of_ranks),
    };
    return cmocka_run_group_tests_name("every number of ranks", tests, nullptr, nullptr);
}

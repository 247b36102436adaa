// The window's algorithms on real threads, several operations in flight, some ranks slower than others: what the
// simulator cannot see, ThreadSanitizer sees here. A rank that lets another one write what it still reads, or shows
// what it has not written yet, is a data race.
#include "cmocka_cpp.h"

#include <sched.h>

#include <atomic>
#include <cstdio>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "base/frame_pool.h"
#include "coll/select.h"
#include "fabric/sim/random.h"
#include "run/runners.h"
#include "sim/world.h"

namespace {

using namespace xcoll;
using namespace xcoll::sim;

struct Planned {
    Kind kind;
    const Row *row;
    int root;
    size_t count;
};

// The same on all ranks. Bursts with one root, who waits for nobody, are what shows a reader that is done too early.
std::vector<Planned> plan(Random &random, int ranks, const Team &team, size_t operations) {
    static constexpr size_t counts[] = {1, 8, 100, 900, 900, 3000, 20000, 60000};
    std::vector<Planned> all;
    while (all.size() < operations) {
        const Kind kind = random.percent(15) ? Kind::barrier : random.percent(50) ? Kind::bcast : Kind::allreduce;
        const size_t count = kind == Kind::barrier ? 0 : counts[random.below(std::size(counts))];
        std::vector<const Row *> rows;
        for (const Row &row : algorithms(kind)) {
            if (!row.refusal(team, count * sizeof(int32_t))) {
                rows.push_back(&row);
            }
        }
        const Planned planned{kind, rows[random.below(rows.size())],
                              kind == Kind::bcast ? static_cast<int>(random.below(static_cast<uint64_t>(ranks))) : -1,
                              count};
        all.insert(all.end(), random.percent(30) ? 6 : 1, planned);
    }
    return all;
}

int32_t input(uint64_t n, int rank, size_t i) {
    return static_cast<int32_t>(n * 1000 + static_cast<uint64_t>(rank) * 100 + i % 97);
}

class Rank {
public:
    Rank(Group &group, int rank, const std::vector<Planned> &plan, uint64_t seed)
        : group_(group), rank_(rank), plan_(plan), random_(seed), depth_(random_.between(1, 4)) {
    }
    void run() {
        for (const Planned &planned : plan_) {
            start(planned);
            while (flights_.size() >= depth_) {
                move_on();
            }
        }
        while (!flights_.empty()) {
            move_on();
        }
    }
    const std::string &trouble() const {
        return trouble_;
    }

private:
    struct Flight {
        uint64_t n = 0;
        Row::Needs needs = Row::Needs::window;
        Op op;
        Fingerprint call{};
        std::vector<int32_t> send, recv;
        Parking parking;
        TaskHome home{};
        Task task;
    };
    void start(const Planned &planned) {
        Flight &flight = flights_.emplace_back();
        flight.n = group_.next_number(rank_);
        flight.needs = planned.row->needs;
        flight.send.resize(planned.count);
        flight.recv.resize(planned.count);
        for (size_t i = 0; i < planned.count; ++i) {
            flight.send[i] = input(flight.n, rank_, i);
        }
        Op &op = flight.op;
        op.kind = planned.kind;
        op.root = planned.root;
        op.count = planned.count;
        op.send = flight.send.data();
        op.recv = flight.recv.data();
        if (planned.kind != Kind::barrier) {
            op.dtype = Dtype::int32;
        }
        if (planned.kind == Kind::allreduce) {
            op.op = Operator::sum;
        }
        if (planned.kind == Kind::bcast) {
            op.send = op.recv = rank_ == planned.root ? flight.send.data() : flight.recv.data();
        }
        flight.call = fingerprint(op);
        flight.home = {&frames_, &flight.parking};
        flight.task = planned.row->run(flight.home, group_.team(rank_), op, flight.call, flight.n);
        flight.task.start();
    }
    void move_on() {
        group_.progress(rank_);
        for (auto flight = flights_.begin(); flight != flights_.end();) {
            dawdle();
            poll(flight->task, flight->parking);
            if (flight->task.done()) {
                if (flight->needs == Row::Needs::transport) {
                    group_.team(rank_).window->complete(flight->n);
                }
                check(*flight);
                flight = flights_.erase(flight);
            } else {
                ++flight;
            }
        }
        sched_yield();
    }
    // So that now this rank is ahead, now another one.
    void dawdle() {
        const uint64_t steps = random_.percent(5) ? random_.below(20000) : 0;
        for (uint64_t i = 0; i < steps; ++i) {
            cpu_relax();
        }
    }
    void check(const Flight &flight) {
        flight.task.rethrow();
        for (size_t i = 0; i < flight.op.count; ++i) {
            int32_t wanted = 0;
            if (flight.op.kind == Kind::bcast) {
                wanted = input(flight.n, flight.op.root, i);
            } else {
                for (int rank = 0; rank < group_.size(); ++rank) {
                    wanted += input(flight.n, rank, i);
                }
            }
            if (static_cast<const int32_t *>(flight.op.recv)[i] != wanted && trouble_.empty()) {
                trouble_ = format("rank %d, operation %llu, %s: element %zu is wrong", rank_,
                                  static_cast<unsigned long long>(flight.n), describe(flight.call).c_str(), i);
            }
        }
    }

    Group &group_;
    int rank_;
    const std::vector<Planned> &plan_;
    Random random_;
    size_t depth_;
    FramePool frames_;
    std::list<Flight> flights_;
    std::string trouble_;
};

// Whether large buffers are copied, or used where they lie.
enum class Buffers { copied, lent };

void run_threads(int ranks, uint64_t seed, size_t operations, Buffers buffers, Fabric fabric = Fabric::window) {
    World world(ranks);
    Simulator unused(ranks, {}, 0);
    Random random(seed);
    Group group(world, unused, first_ranks(ranks), ranks > 3 ? some_groups(ranks) : one_group(ranks), fabric);
    if (buffers == Buffers::lent) {
        group.lend_private();
    }
    group.make();
    const std::vector<Planned> agreed = plan(random, ranks, group.team(0), operations);
    std::list<Rank> all;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        Rank &one = all.emplace_back(group, rank, agreed, random.next());
        threads.emplace_back([&one] { one.run(); });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const Rank &one : all) {
        if (!one.trouble().empty()) {
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), one.trouble().c_str());
        }
        assert_true(one.trouble().empty());
    }
    group.free();
}

void two_ranks_get_right_results(void **) {
    run_threads(2, 1, 200, Buffers::copied);
}
void three_ranks_get_right_results(void **) {
    run_threads(3, 2, 200, Buffers::copied);
    run_threads(3, 3, 200, Buffers::copied);
}
void groups_of_ranks_get_right_results(void **) {
    run_threads(5, 4, 150, Buffers::copied);
}
void messages_between_threads_arrive(void **) {
    run_threads(3, 5, 200, Buffers::copied, Fabric::window_and_lanes);
}
void lent_buffers_are_their_owners_again_when_an_operation_ends(void **) {
    run_threads(2, 6, 200, Buffers::lent);
    run_threads(5, 7, 150, Buffers::lent);
}

} // namespace

int main() {
    const CMUnitTest tests[] = {
        cmocka_unit_test(two_ranks_get_right_results),
        cmocka_unit_test(three_ranks_get_right_results),
        cmocka_unit_test(groups_of_ranks_get_right_results),
        cmocka_unit_test(messages_between_threads_arrive),
        cmocka_unit_test(lent_buffers_are_their_owners_again_when_an_operation_ends),
    };
    return cmocka_run_group_tests_name("windows on threads", tests, nullptr, nullptr);
}

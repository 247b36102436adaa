// A random program: what all ranks of a world call, in one order that no rank may change, each with its own way of
// starting and waiting.
#pragma once

#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/operation.h"

namespace xcoll::sim {

// What programs are made of.
struct Flavour {
    unsigned operations = 40;
    // Of operations in which somebody calls something else.
    unsigned offenders_percent = 0;
    // Several, made and freed all the time; else the world alone.
    bool communicators = true;
    // How the world is connected. The other communicators have any fabric if messages are allowed.
    Fabric fabric = Fabric::window;
    bool messages = false;
    // Bytes of input of one operation, all ranks together.
    size_t traffic = size_t{3} << 20;
    // Some buffers lie in symmetric heaps, and some communicators lend all that they have.
    bool heaps = false;
    // Worlds of two or three ranks, whose pairs have wide slots.
    bool pairs = false;
    // Nothing but calls in which some ranks only give, or only take.
    bool one_way = false;
};

class Program {
public:
    Program(World &world, Simulator &simulator, const Flavour &flavour, uint64_t seed)
        : world_(world), simulator_(simulator), flavour_(flavour), random_(seed) {
        live_.push_back(&new_group(first_ranks(world.ranks()), flavour.fabric));
        live_[0]->make();
        while (steps_.size() < flavour.operations) {
            add_something();
        }
    }

    ~Program() {
        simulator_.abandon();
    }
    Program(const Program &) = delete;
    Program &operator=(const Program &) = delete;

    // Runs it on all ranks and frees what is left.
    void run(Coverage &coverage) {
        for (int rank = 0; rank < world_.ranks(); ++rank) {
            Player &player = *players_.emplace_back(std::make_unique<Player>(Player{rank, coverage, {}, 0, 0}));
            // Some wait for everything at once, some have more under way than there are cells.
            player.depth = random_.percent(30) ? 1 : random_.between(2, 12);
            player.blocking_percent = static_cast<unsigned>(random_.below(60));
            simulator_.spawn(rank, "its program", [&](TaskHome &home) { return play(home, *this, player); });
        }
        simulator_.run();
        for (Group *group : live_) {
            if (flavour_.offenders_percent == 0 && has_lost_batons(*group)) {
                throw std::runtime_error("a baton that came with a message was not kept");
            }
            group->free();
        }
    }

private:
    struct Step {
        enum class What : uint8_t { operate, make, free } what;
        Group *group;
        std::unique_ptr<Operation> operation;
    };
    struct Player {
        int rank;
        Coverage &coverage;
        std::vector<std::pair<Operation *, int>> in_flight; // with the rank in its group
        size_t depth;
        unsigned blocking_percent;
    };

    // Takes what is left of them.
    static bool has_lost_batons(Group &group) {
        if (group.size() != 2 || !group.team(0).window || !group.team(0).window->has_wide_slots()) {
            return false;
        }
        int held = 0;
        for (int p = 0; p < 2; ++p) {
            while (group.team(p).window->batons().give(1) != 0) {
                ++held;
            }
        }
        return held != 2;
    }

    // ---------------------------------------------------------------------------------------------- making it

    Fabric any_fabric() {
        const bool any = flavour_.messages && flavour_.fabric != Fabric::network;
        return any ? static_cast<Fabric>(random_.below(3)) : flavour_.fabric;
    }
    Group &new_group(std::vector<int> members, Fabric fabric) {
        std::vector<int> labels(members.size());
        const uint64_t groups = random_.percent(40) ? 1 : random_.between(1, 4);
        for (int &label : labels) {
            label = static_cast<int>(random_.below(groups));
        }
        groups_.push_back(std::make_unique<Group>(world_, simulator_, std::move(members), group_by(labels), fabric));
        if (flavour_.heaps && random_.percent(50)) {
            groups_.back()->lend_private();
        }
        if (random_.percent(50)) {
            groups_.back()->spread_out();
        }
        groups_.back()->promise(random_.percent(30) ? Determinism::layout : Determinism::run);
        return *groups_.back();
    }
    // In any order, so that ranks of different communicators differ.
    std::vector<int> some_ranks() {
        std::vector<int> ranks = first_ranks(world_.ranks());
        for (size_t i = ranks.size() - 1; i > 0; --i) {
            std::swap(ranks[i], ranks[random_.below(i + 1)]);
        }
        ranks.resize(random_.between(1, ranks.size()));
        return ranks;
    }
    void add_something() {
        if (flavour_.communicators && random_.percent(15)) {
            if (live_.size() > 1 && random_.percent(50)) {
                const size_t i = random_.between(1, live_.size() - 1);
                steps_.push_back({Step::What::free, live_[i], nullptr});
                live_.erase(live_.begin() + static_cast<ptrdiff_t>(i));
            } else {
                live_.push_back(&new_group(some_ranks(), any_fabric()));
                steps_.push_back({Step::What::make, live_.back(), nullptr});
            }
            return;
        }
        Group &group = *live_[random_.below(live_.size())];
        const Call call = some_call(group);
        // Bursts of one call with one root let the root run ahead until credit stops it, which mixtures never do.
        const uint64_t times = random_.percent(15) ? random_.between(5, 25) : 1;
        for (uint64_t i = 0; i < times; ++i) {
            add_operation(group, call);
        }
    }
    void add_operation(Group &group, const Call &call) {
        if (group.size() > 1 && random_.percent(flavour_.offenders_percent)) {
            const Call wrong = random_.percent(25) ? refused_call() : some_call(group);
            if (fingerprint(wrong.descriptor(0)) != fingerprint(call.descriptor(0))) {
                const int offender = static_cast<int>(random_.below(static_cast<uint64_t>(group.size())));
                steps_.push_back(
                    {Step::What::operate, &group,
                     std::make_unique<Operation>(group, call, random_.next(), offender, wrong, flavour_.heaps)});
                return;
            }
        }
        steps_.push_back({Step::What::operate, &group,
                          std::make_unique<Operation>(group, call, random_.next(), -1, Call{}, flavour_.heaps)});
    }

    size_t some_bytes(const Group &group) {
        const size_t largest = flavour_.traffic / static_cast<size_t>(group.size());
        switch (flavour_.one_way && random_.percent(50) ? 7 : random_.below(8)) {
        case 0:
            return random_.percent(50) ? 0 : 1;
        case 1:
        case 2:
            return random_.between(1, inline_bytes + 8);
        case 3:
        case 4:
            return random_.between(inline_bytes, slot_bytes + 64);
        case 5:
            return random_.between(slot_bytes - 8, slot_bytes + 8);
        case 6:
            // Around the largest message that may go through the smallest ring in one piece.
            return std::min<size_t>(random_.between(4096, 20000), largest);
        default:
            return random_.between(1, largest);
        }
    }
    static Call refused_call() {
        Call call;
        call.kind = Kind::refused;
        call.algorithm = &refused_row;
        return call;
    }
    Call some_call(const Group &group) {
        static constexpr Dtype dtypes[] = {Dtype::uint8,    Dtype::int32,   Dtype::int64,  Dtype::float16,
                                           Dtype::bfloat16, Dtype::float32, Dtype::float64};
        static constexpr Operator operators[] = {Operator::sum, Operator::sum, Operator::max, Operator::min,
                                                 Operator::avg};
        static constexpr Kind kinds_in_use[] = {
            Kind::allreduce,    Kind::allreduce,     Kind::bcast,        Kind::bcast,          Kind::barrier,
            Kind::words,        Kind::reduce,        Kind::reduce,       Kind::reduce_scatter, Kind::reduce_scatterv,
            Kind::scan,         Kind::exscan,        Kind::allgather,    Kind::alltoall,       Kind::gather,
            Kind::scatter,      Kind::allgather_dyn, Kind::alltoall_dyn, Kind::allgatherv,     Kind::alltoallv,
            Kind::gatherv,      Kind::scatterv,      Kind::reshard,      Kind::group,          Kind::group,
            Kind::group_reduce, Kind::reshard_reduce};
        static constexpr Kind one_way_kinds[] = {Kind::bcast,  Kind::gather,  Kind::scatter,
                                                 Kind::reduce, Kind::gatherv, Kind::scatterv};
        Call call;
        call.kind = flavour_.one_way ? one_way_kinds[random_.below(std::size(one_way_kinds))]
                                     : kinds_in_use[random_.below(std::size(kinds_in_use))];
        if (call.kind == Kind::group_reduce && group.fabric() == Fabric::network) {
            call.kind = Kind::allreduce; // without memory that is shared nothing is joined
        }
        if (call.kind != Kind::barrier) {
            call.dtype = dtypes[random_.below(std::size(dtypes))];
            size_t bytes = some_bytes(group);
            bytes = call.kind == Kind::words ? std::min(bytes, first_line_bytes) : bytes;
            bytes = call.kind == Kind::group_reduce ? std::min(bytes, slot_bytes) : bytes;
            const bool blocks = call.is_dynamic() || call.has({Kind::reduce_scatter, Kind::allgather, Kind::alltoall,
                                                               Kind::gather, Kind::scatter});
            call.count = bytes / size_of(call.dtype) / (blocks ? static_cast<size_t>(group.size()) : 1);
        }
        if (call.reduces()) {
            choose_operator(call, operators[random_.below(std::size(operators))]);
        }
        call.dice = call.is_dynamic() || call.kind == Kind::reshard_reduce ? random_.next() : 0;
        if (call.kind == Kind::reduce_scatterv || call.kind == Kind::group_reduce) {
            constexpr uint64_t most_joined = 12;
            const uint64_t joined = random_.between(2, most_joined);
            cut_unevenly(call, call.kind == Kind::group_reduce ? joined : static_cast<uint64_t>(group.size()));
        }
        if (call.has({Kind::bcast, Kind::reduce, Kind::gather, Kind::gatherv, Kind::scatter, Kind::scatterv})) {
            call.root = static_cast<int>(random_.below(static_cast<uint64_t>(group.size())));
        }
        if (call.has(kinds_with_parts)) {
            call.count /= static_cast<size_t>(group.size());
            call.dice = random_.next();
            call.moves = some_moves(call.kind, call.root, group.size(), random_);
        }
        choose(call, group);
        return call;
    }
    void choose_operator(Call &call, Operator op) {
        const bool scans = call.has({Kind::scan, Kind::exscan});
        call.op = scans && op == Operator::avg ? Operator::sum : op;
        if (call.dtype == Dtype::int64 && call.kind != Kind::group_reduce && random_.percent(60)) {
            call.op = Operator::none;
            const bool may_scale = call.kind != Kind::reshard_reduce;
            call.user = !may_scale || random_.percent(70) ? User::affine : User::scaled;
        }
    }
    // Some parts are empty, some are almost everything.
    void cut_unevenly(Call &call, size_t parts) {
        std::vector<size_t> ends(parts, call.count);
        for (size_t i = 0; i + 1 < parts; ++i) {
            ends[i] = random_.percent(20) ? 0 : random_.below(call.count + 1);
        }
        std::sort(ends.begin(), ends.end());
        std::adjacent_difference(ends.begin(), ends.end(), std::back_inserter(call.counts));
    }
    // Any algorithm that can serve, also where another one would be faster.
    void choose(Call &call, const Group &group) {
        Team team = live_[0]->team(0);
        team.size = group.size();
        team.grouping = group.grouping();
        team.determinism = group.determinism();
        team.order = group.order();
        const bool window = group.fabric() != Fabric::network;
        const bool transport = group.fabric() != Fabric::window;
        std::vector<const Row *> can;
        if (call.user == User::scaled) {
            call.algorithm = &scaled_row(window ? Row::Needs::window : Row::Needs::transport);
            return;
        }
        for (const Row &row : algorithms(call.kind)) {
            // The world's window answers for all: rings are of one size. A transport only has to be there.
            const bool has = row.needs == Row::Needs::window ? window : transport;
            const bool serves = call.user == User::none || row.serves_users() || call.kind == Kind::reshard_reduce;
            if (has && serves && (row.needs == Row::Needs::transport || !row.refusal(team, call.bytes()))) {
                can.push_back(&row);
            }
        }
        call.algorithm = can[random_.below(can.size())];
    }

    // --------------------------------------------------------------------------------------------- running it

    static Task play(TaskHome &, Program &program, Player &me) {
        for (const Step &step : program.steps_) {
            Group &group = *step.group;
            const int p = group.rank_of(me.rank);
            if (p < 0) {
                continue;
            }
            switch (step.what) {
            case Step::What::make:
                group.offer(p);
                co_await group.all_offered();
                group.join(p);
                break;
            case Step::What::free:
                while (Operation *operation = program.one_of(me, &group)) {
                    co_await operation->over(p);
                    program.forget_what_is_over(me);
                }
                group.leave(p);
                ++me.coverage.remade;
                break;
            case Step::What::operate:
                while (me.in_flight.size() >= me.depth) {
                    co_await program.any_of(me);
                    program.forget_what_is_over(me);
                }
                program.start(step, me, p);
                if (program.random_.percent(me.blocking_percent)) {
                    co_await step.operation->over(p);
                }
                program.forget_what_is_over(me);
                break;
            }
        }
        while (!me.in_flight.empty()) {
            co_await program.any_of(me);
            program.forget_what_is_over(me);
        }
    }
    void start(const Step &step, Player &me, int p) {
        me.in_flight.emplace_back(step.operation.get(), p);
        me.coverage.most_in_flight = std::max<uint64_t>(me.coverage.most_in_flight, me.in_flight.size());
        step.operation->start(simulator_, p, me.coverage);
    }
    Until any_of(const Player &me) {
        const auto &[operation, p] = me.in_flight[random_.below(me.in_flight.size())];
        return operation->over(p);
    }
    static Operation *one_of(const Player &me, const Group *group) {
        for (const auto &[operation, p] : me.in_flight) {
            if (&operation->group() == group) {
                return operation;
            }
        }
        return nullptr;
    }
    static void forget_what_is_over(Player &me) {
        std::erase_if(me.in_flight, [](const auto &entry) { return entry.first->is_over(entry.second); });
    }

    World &world_;
    Simulator &simulator_;
    Flavour flavour_;
    Random random_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::vector<Group *> live_; // at the end of the steps so far; the first one stays
    std::vector<Step> steps_;
    std::vector<std::unique_ptr<Player>> players_;
};

} // namespace xcoll::sim

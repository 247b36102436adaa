// Simulated ranks of one machine, and communicators among them.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "coll/algorithm.h"
#include "coll/scratch.h"
#include "fabric/node.h"
#include "fabric/sim/network.h"
#include "fabric/sim/simulator.h"
#include "fabric/window.h"
#include "fabric/window_transport.h"

namespace xcoll::sim {

// The ranks' nodes. A budget of nothing gives everybody the smallest ring, 64 KiB, so that there is often no room.
inline constexpr size_t smallest_rings = 0;

class World {
public:
    explicit World(int ranks, size_t budget_bytes = smallest_rings, size_t heap_bytes = 0)
        : nodes_(connect_threads(ranks, Machine{}, budget_bytes, heap_bytes)), scratch_(nodes_.size()),
          kernels_(best_kernels()) {
    }
    int ranks() const {
        return static_cast<int>(nodes_.size());
    }
    Node &node(int rank) const {
        return *nodes_[static_cast<size_t>(rank)];
    }
    const Kernels &kernels() const {
        return kernels_;
    }
    ScratchPool &scratch(int rank) {
        return scratch_[static_cast<size_t>(rank)];
    }

private:
    std::vector<std::shared_ptr<Node>> nodes_;
    std::deque<ScratchPool> scratch_;
    const Kernels &kernels_;
};

inline std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

// Groups of different sizes, whose ranks do not lie side by side.
inline Grouping some_groups(int count) {
    std::vector<int> labels(static_cast<size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
        labels[static_cast<size_t>(rank)] = rank % 7 % 3;
    }
    return group_by(labels);
}

// How the members of a communicator reach each other.
enum class Fabric : uint8_t {
    window,           // by loads and stores
    window_and_lanes, // and by messages through the window
    network,          // by messages only
};

// Of each board in use, so that short programs go round them several times.
inline constexpr uint64_t cells = 8;

// A communicator as all its members see it. It is made and freed member by member, as real ranks do it.
class Group {
public:
    // by_time: its network follows the clock of the model; see Network.
    Group(World &world, Simulator &simulator, std::vector<int> members, Grouping grouping,
          Fabric fabric = Fabric::window, bool by_time = false, const LinkModel &model = {})
        : world_(world), members_(std::move(members)), grouping_(std::move(grouping)), fabric_(fabric),
          places_(members_.size()), windows_(members_.size()), lanes_(members_.size()), teams_(members_.size()),
          numbers_(members_.size()) {
        promise(Determinism::run);
        if (fabric == Fabric::network) {
            network_ = std::make_unique<Network>(simulator, size(), by_time, model);
        } else if (fabric == Fabric::window_and_lanes) {
            simulator.add_source([this](Random &random) { return move_lanes(random); });
        }
    }
    // Before it is made: as src/core makes it, with this level of determinism.
    void promise(Determinism level) {
        determinism_ = level;
        if (order() == Order::tree) {
            grouping_ = one_group(size());
        }
    }
    // The same: its ranks are threads, to which private memory is as near as heaps are.
    void lend_private() {
        lends_private_ = true;
    }
    // The same: its lines take long from one rank to another.
    void spread_out() {
        is_far_ = true;
    }
    Order order() const {
        const bool may_show = fabric_ != Fabric::network && determinism_ < Determinism::layout;
        return may_show ? Order::groups : Order::tree;
    }
    Determinism determinism() const {
        return determinism_;
    }
    // All at once, for tests that need no more.
    void make() {
        for (int p = 0; p < size(); ++p) {
            offer(p);
        }
        for (int p = 0; p < size(); ++p) {
            join(p);
        }
    }
    void free() {
        for (int p = 0; p < size(); ++p) {
            leave(p);
        }
    }

    void offer(int p) {
        if (fabric_ != Fabric::network) {
            places_[index(p)] = node(p).take_board(size()).offset;
        }
        offers_.store(offers_.read() + 1);
    }
    // What join() waits for.
    Until all_offered() const {
        return {&offers_, members_.size(), -1};
    }
    void join(int p) {
        Transport *transport = network_ ? &network_->transport(p) : nullptr;
        if (fabric_ != Fabric::network) {
            windows_[index(p)] = std::make_shared<Window>(node(p), members_, places_, p, CopyWay::Rule::plain, cells);
            windows_[index(p)]->lend_from(0);
            if (lends_private_) {
                windows_[index(p)]->lend_private();
            }
            if (is_far_) {
                FirstLook &first_look = windows_[index(p)]->first_look();
                first_look.learn(static_cast<int64_t>(first_look.absurd()) - 1);
            }
        }
        if (fabric_ == Fabric::window_and_lanes) {
            lanes_[index(p)] = std::make_unique<WindowTransport>(*windows_[index(p)]);
            transport = lanes_[index(p)].get();
        }
        teams_[index(p)] = {.rank = p,
                            .size = size(),
                            .window = windows_[index(p)].get(),
                            .transport = transport,
                            .grouping = grouping_,
                            .kernels = &world_.kernels(),
                            .scratch = &world_.scratch(member(p)),
                            .determinism = determinism_,
                            .order = order()};
    }
    void leave(int p) {
        lanes_[index(p)].reset();
        if (windows_[index(p)]) {
            node(p).retire(std::move(windows_[index(p)]));
        }
    }

    int size() const {
        return static_cast<int>(members_.size());
    }
    int member(int p) const {
        return members_[index(p)];
    }
    // -1: no member.
    int rank_of(int member) const {
        const auto found = std::find(members_.begin(), members_.end(), member);
        return found == members_.end() ? -1 : static_cast<int>(found - members_.begin());
    }
    // For messages.
    std::string name() const {
        static constexpr const char *names[] = {"window", "window and lanes", "network"};
        return format("communicator %p (%s)", static_cast<const void *>(this), names[static_cast<int>(fabric_)]);
    }
    Fabric fabric() const {
        return fabric_;
    }
    Heap &heap(int p) const {
        return node(p).heap();
    }
    const Grouping &grouping() const {
        return grouping_;
    }
    Team &team(int p) {
        return teams_[index(p)];
    }
    // Real ranks do this in every wait.
    bool progress(int p) {
        WindowTransport *lanes = lanes_[index(p)].get();
        return lanes && lanes->progress();
    }
    uint64_t next_number(int p) {
        return ++numbers_[index(p)];
    }
    // In some operation somebody called something else.
    void offend() {
        has_offender_ = true;
    }
    bool has_offender() const {
        return has_offender_;
    }

private:
    static size_t index(int p) {
        return static_cast<size_t>(p);
    }
    Node &node(int p) const {
        return world_.node(member(p));
    }
    bool move_lanes(Random &random) {
        const auto first = static_cast<int>(random.below(lanes_.size()));
        for (int i = 0; i < size(); ++i) {
            if (progress((first + i) % size())) {
                return true;
            }
        }
        return false;
    }

    World &world_;
    std::vector<int> members_;
    Grouping grouping_;
    Fabric fabric_;
    Determinism determinism_ = Determinism::run;
    std::vector<uint64_t> places_;
    Signal offers_;
    std::unique_ptr<Network> network_;
    std::vector<std::shared_ptr<Window>> windows_;
    std::vector<std::unique_ptr<WindowTransport>> lanes_;
    std::vector<Team> teams_;
    std::vector<uint64_t> numbers_; // of the last operation
    bool lends_private_ = false, is_far_ = false;
    bool has_offender_ = false;
};

} // namespace xcoll::sim

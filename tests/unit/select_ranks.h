// Communicators for the selection: teams of which only what it asks for is there.
#pragma once

#include <memory>
#include <vector>

#include "coll/select.h"
#include "window_ranks.h"

namespace select_ranks {

using namespace window_ranks;

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
    Team team(bool window, bool messages, const Grouping &grouping, Determinism determinism = Determinism::run,
              Order order = Order::groups) {
        return {.rank = 0,
                .size = 4,
                .window = window ? windows[0].get() : nullptr,
                .transport = messages ? &transport : nullptr,
                .grouping = grouping,
                .kernels = &best_kernels(),
                .scratch = &scratch,
                .determinism = determinism,
                .order = order};
    }
};

// Eight ranks of a node that may use so many processors.
class Eight {
public:
    explicit Eight(int processors, size_t l2_bytes = 0) {
        const auto plain = connect_threads(size, Machine{}, 0);
        std::vector<Node::Member> members;
        std::vector<int> all;
        for (int i = 0; i < size; ++i) {
            members.push_back(plain[0]->member(i));
            all.push_back(i);
        }
        const std::vector<uint64_t> boards(size, plain[0]->take_board(size).offset);
        node_ = std::make_unique<Node>(members, 0, node_sizes(0, l2_bytes, size), processors, false, Descriptor());
        window_ = std::make_unique<Window>(*node_, all, boards, 0, CopyWay::Rule::plain);
        window_->keep_board(false);
    }
    Team team(const Grouping &grouping = one_group(size)) {
        return {.rank = 0,
                .size = size,
                .window = window_.get(),
                .transport = nullptr,
                .grouping = grouping,
                .kernels = &best_kernels(),
                .scratch = &scratch_};
    }

    Node &node() {
        return *node_;
    }

private:
    static constexpr int size = 8;
    std::unique_ptr<Node> node_;
    std::unique_ptr<Window> window_;
    ScratchPool scratch_;
};

inline std::vector<Kind> collectives() {
    std::vector<Kind> all;
    for (int k = 0; k < kinds; ++k) {
        if (traits(static_cast<Kind>(k)).is_collective) {
            all.push_back(static_cast<Kind>(k));
        }
    }
    return all;
}

inline Choices choose(const Team &team, const Settings &settings) {
    return {team, read_preferences(settings)};
}

// What reading these settings fails with, "" if they are accepted.
inline std::string refused(const Settings &settings) {
    try {
        read_preferences(settings);
    } catch (const Failure &failure) {
        return failure.result() == XCOLL_ERR_CONFIG ? failure.message() : "another error";
    }
    return "";
}

} // namespace select_ranks

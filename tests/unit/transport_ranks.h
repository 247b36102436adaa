// Ranks in this process with transports over shared memory, and tasks that run on them in a random order.
#pragma once

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/frame_pool.h"
#include "coll/algorithm.h"
#include "coll/message_algorithms.h"
#include "fabric/node.h"
#include "fabric/window_transport.h"

namespace ranks {

using namespace xcoll;

inline const char *text(const std::exception_ptr &error) {
    try {
        if (error) {
            std::rethrow_exception(error);
        }
    } catch (const Failure &failure) {
        return failure.what();
    } catch (const std::exception &other) {
        return other.what();
    }
    return "";
}
inline xcoll_result_t result(const std::exception_ptr &error) {
    try {
        if (error) {
            std::rethrow_exception(error);
        }
    } catch (const Failure &failure) {
        return failure.result();
    }
    return XCOLL_SUCCESS;
}

// One communicator; the transports are over its windows unless others are put in their place.
class Ranks {
public:
    explicit Ranks(int size) : Ranks(connect_threads(size, Machine{}, 0)) {
    }
    explicit Ranks(std::vector<std::shared_ptr<Node>> nodes)
        : size_(static_cast<int>(nodes.size())), nodes_(std::move(nodes)), scratch_(nodes_.size()) {
        std::vector<int> members;
        std::vector<uint64_t> boards;
        for (int r = 0; r < size_; ++r) {
            members.push_back(r);
            boards.push_back(node(r).take_board(size_).offset);
        }
        for (int r = 0; r < size_; ++r) {
            windows_.push_back(std::make_shared<Window>(node(r), members, boards, r, CopyWay::Rule::plain));
            transports_.push_back(std::make_unique<WindowTransport>(*windows_.back()));
            teams_.push_back({r, size_, nullptr, transports_.back().get(), one_group(size_), kernels_for(Isa::plain),
                              &scratch_[static_cast<size_t>(r)]});
        }
    }
    ~Ranks() {
        for (int r = 0; r < size_; ++r) {
            free(r);
        }
    }
    Ranks(const Ranks &) = delete;
    Ranks &operator=(const Ranks &) = delete;

    int size() const {
        return size_;
    }
    Node &node(int r) const {
        return *nodes_[static_cast<size_t>(r)];
    }
    const std::vector<std::shared_ptr<Node>> &nodes() const {
        return nodes_;
    }
    Window &window(int r) const {
        return *windows_[static_cast<size_t>(r)];
    }
    Transport &transport(int r) const {
        return *teams_[static_cast<size_t>(r)].transport;
    }
    Team &team(int r) {
        return teams_[static_cast<size_t>(r)];
    }
    // As a communicator of its user's does: the transport goes, the window when its peers allow it.
    void free(int r) {
        transports_[static_cast<size_t>(r)].reset();
        if (windows_[static_cast<size_t>(r)]) {
            node(r).retire(std::move(windows_[static_cast<size_t>(r)]));
        }
    }
    void progress() const {
        for (int r = 0; r < size_; ++r) {
            transport(r).progress();
        }
    }

private:
    int size_;
    std::vector<std::shared_ptr<Node>> nodes_;
    std::deque<ScratchPool> scratch_;
    std::vector<std::shared_ptr<Window>> windows_;
    std::vector<std::unique_ptr<Transport>> transports_;
    std::vector<Team> teams_;
};

// One operation on one rank.
struct Running {
    Running(Team &team_, Algorithm algorithm, const Op &op_, const Fingerprint &call_, uint64_t n_)
        : team(team_), op(op_), call(call_), n(n_), home{&frames, &parking}, task(algorithm(home, team, op, call, n)) {
        parking.patience = -1;
        task.start();
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

    bool done() const {
        return task.done();
    }
    void step() {
        team.transport->progress();
        if (!task.done() && parking.until.reached()) {
            parking.resume();
        }
        if (task.done() && team.window && !completed) {
            completed = true;
            team.window->complete(n);
        }
    }
    std::exception_ptr error() const {
        try {
            task.rethrow();
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }

    Team &team;
    Op op;
    Fingerprint call;
    uint64_t n;
    FramePool frames;
    Parking parking;
    TaskHome home;
    Task task;
    bool completed = false;
};

using All = std::deque<Running>;

inline std::string who_waits(const All &all) {
    std::string what;
    for (const Running &one : all) {
        what += format("\nrank %d, operation %d: ", one.team.rank, static_cast<int>(one.n));
        what += one.done() ? std::string("done: ") + text(one.error())
                           : format("waits for rank %d", one.parking.until.owner);
    }
    return what;
}

// Until all are done, whoever is chosen going first. Throws if nobody gets on any more.
inline void run(All &all, uint32_t seed) {
    std::mt19937 random(seed);
    constexpr size_t too_long = 10'000'000; // longer than any operation of these tests, and a matter of seconds
    for (size_t events = 0; std::any_of(all.begin(), all.end(), [](const Running &one) { return !one.done(); });
         ++events) {
        all[random() % all.size()].step();
        if (events > too_long) {
            throw std::runtime_error("stuck:" + who_waits(all));
        }
    }
}

inline Op allreduce(const void *send, void *recv, size_t count, Dtype dtype, Operator op) {
    Op call;
    call.kind = Kind::allreduce;
    call.dtype = dtype;
    call.op = op;
    call.send = send;
    call.recv = recv;
    call.count = count;
    return call;
}
inline Op bcast(void *buffer, size_t count, Dtype dtype, int root) {
    Op call;
    call.kind = Kind::bcast;
    call.dtype = dtype;
    call.root = root;
    call.recv = buffer;
    call.count = count;
    return call;
}
inline Op plain(Kind kind) {
    Op call;
    call.kind = kind;
    return call;
}

} // namespace ranks

// What a slow wait looks at, for one communicator: its peers' health, their farewells, an abort, the deadline. And the
// roll-call: who is missing.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "coll/algorithm.h"
#include "run/wait.h"

namespace xcoll {

class Comm;

class Watcher final : public Watch {
public:
    // Node ranks of the peers; -1: not on this machine.
    Watcher(Comm &comm, const Team &team, Node *node, std::vector<int> node_ranks, int64_t timeout_ms)
        : comm_(comm), team_(team), node_(node), node_ranks_(std::move(node_ranks)), seen_dead_(node_ranks_.size()),
          timeout_ms_(timeout_ms) {
    }

    bool drive() override;
    void check(const Until &until, int64_t waited_ns) override;
    void sleep(const Until &until, int64_t nanoseconds) override;
    void over() override;

    // Any thread.
    void set_timeout(int64_t milliseconds) {
        timeout_ms_.store(milliseconds, std::memory_order_relaxed);
    }
    void abort(const Failure &why);

private:
    void check_alive(const Until &until) const;
    void check_present() const;
    [[noreturn]] void fail_late(const Until &until, int64_t timeout_ms) const;
    int latecomer(const Until &until) const;
    // The last operation of a rank, as far as this one knows, and whether it is in its own code.
    Transport::Whereabouts whereabouts(int p) const;
    bool is_late(const Transport::Whereabouts &where) const;
    bool is_needed(int p, const Until &until) const;
    bool is_needed_in_network(int p, const Until &until) const;
    // The operation that this rank entered last, for messages.
    uint64_t operation() const;
    // "rank 3 has not entered it": all who are late or do not answer.
    std::string roll_call(const Until &until) const;

    Comm &comm_;
    const Team &team_;
    Node *node_;
    std::vector<int> node_ranks_;
    // By rank, where messages go over a network. Of any thread that waits.
    mutable std::vector<std::atomic<bool>> seen_dead_;
    std::atomic<int64_t> timeout_ms_;
    std::atomic<bool> aborted_{false};
    std::optional<Failure> abort_; // written before aborted_
};

} // namespace xcoll

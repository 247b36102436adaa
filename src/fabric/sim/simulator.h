// The third runner: many ranks in one process, every wait an opportunity to let somebody else go first.
//
// The ranks run the very tasks, windows and copies that real ranks run, on real memory; only the order of events is
// chosen, by a seed. What it cannot show is what processors do to the order of loads and stores: every step between
// two waits is one event here. ThreadSanitizer and tests/model look at that.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/frame_pool.h"
#include "base/task.h"
#include "fabric/sim/schedule.h"

namespace xcoll::sim {

// Nobody can move, or too much has happened. The text tells who waits for what.
class Stuck : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Simulator {
public:
    // Called when a root task has ended, with what it threw or nothing.
    using Finished = std::function<void(std::exception_ptr)>;
    // Moves something that is no task, if it can.
    using Source = std::function<bool(Random &)>;

    // budget: more events than this are an error, since a run that does not end cannot be told from one that is long.
    Simulator(int ranks, const Schedule &schedule, uint64_t budget);
    ~Simulator();
    Simulator(const Simulator &) = delete;
    Simulator &operator=(const Simulator &) = delete;

    int ranks() const {
        return ranks_;
    }
    // Starts another root task of a rank: make(TaskHome &) returns it. It runs up to its first wait at once, as an
    // operation does that a program starts. `what` names it in a dump. Without `finished`, what it throws ends run().
    template <class Make> void spawn(int rank, std::string what, Make &&make, Finished finished = {}) {
        Root &root = add_root(rank, std::move(what), std::move(finished));
        root.task = make(root.home);
        begin(root);
    }
    void add_source(Source source);

    // Until every root task has ended. Throws Stuck.
    void run();
    // Destroys every root task where it stands, before what they refer to goes away.
    void abandon();
    // Everybody who waits: rank, operation, for whom, what is there and what is wanted.
    std::string dump() const;
    uint64_t events() const {
        return events_;
    }
    Random &random() {
        return chooser_.random();
    }

    // Virtual time, in nanoseconds; moved by the network.
    double now() const {
        return now_;
    }
    void advance_to(double time) {
        now_ = time > now_ ? time : now_;
    }

private:
    struct Root {
        int rank;
        std::string what;
        Finished finished;
        Parking parking;
        TaskHome home;
        Task task;
    };
    struct Rank {
        FramePool frames;
        std::vector<std::unique_ptr<Root>> roots;
    };
    Root &add_root(int rank, std::string what, Finished finished);
    void begin(Root &root);
    void settle(Root &root);
    bool step();
    bool move(size_t actor);

    int ranks_;
    uint64_t budget_;
    uint64_t events_ = 0;
    double now_ = 0;
    size_t live_ = 0;
    Chooser chooser_;
    std::exception_ptr error_;
    std::vector<std::unique_ptr<Rank>> by_rank_;
    std::vector<Source> sources_;
};

} // namespace xcoll::sim

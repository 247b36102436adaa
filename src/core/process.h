// The little that belongs to a process and not to a communicator: who has operations in flight (every wait drives them
// all), the job that xcoll_init found, and whether this is a child of fork. One object, one place.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/flight_file.h"
#include "base/op.h"
#include "base/threads.h"
#include "base/trace_file.h"
#include "boot/crypto.h"
#include "boot/unique_id.h"
#include "core/registry.h"
#include "core/user_memory.h"

namespace xcoll {

class Comm;
class Plan;

class Process {
public:
    explicit Process(Plan &sent);
    ~Process();
    // ---- operations in flight
    // Lists a communicator that has requests, until it goes away: taking it in and out with every request would cost
    // more than the request.
    void add(Comm &comm);
    void remove(Comm &comm);
    // Moves all of them; true if something moved. A communicator that another thread is at is passed over. A function
    // that is told of an end in here (core/observer.h) may come back: start, wait, and free a communicator.
    bool drive();
    // True if some parked task could go on; for a last look before sleeping.
    bool anything_ready();
    bool has_in_flight();

    // ---- fork
    // A child has the parent's handles but not its shared memory: every entry asks this first.
    bool forked() const {
        return forked_.load(std::memory_order_relaxed);
    }
    void watch_forks();

    // ---- the job
    struct Job {
        std::mutex mutex;
        int users = 0;               // xcoll_init without xcoll_finalize
        std::unique_ptr<Comm> world; // never handed out: each xcoll_init gets a duplicate
    };
    Job &job() {
        return job_;
    }

    // ---- what is shown to the outside
    FlightFile &flights() {
        return flights_;
    }
    TraceFiles &traces() {
        return traces_;
    }

    // ---- unique ids that were made here
    OwnIds &own_ids() {
        return own_ids_;
    }

    // ---- who computes hashes for those that meet over TCP
    Cryptos &cryptos() {
        return cryptos_;
    }

    // ---- the request of every send that is over when its call returns
    Plan &sent() {
        return sent_;
    }

    // ---- threads that are inside of something that changes what their calls mean (core/inside.h). Every call asks
    // first whether any is.
    void thread_enters() {
        add_threads_inside(1);
    }
    void thread_leaves() {
        add_threads_inside(-1);
    }
    bool has_threads_inside() const {
        return threads_inside_.load(std::memory_order_relaxed) != 0;
    }

    // ---- what the user has made
    Registry<Shape> &types() {
        return types_;
    }
    Registry<UserOperator> &operators() {
        return operators_;
    }
    UserMemory &memory() {
        return memory_;
    }

private:
    void add_threads_inside(int more) {
        if (has_threads()) {
            threads_inside_.fetch_add(more, std::memory_order_relaxed);
        } else {
            threads_inside_.store(threads_inside_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
        }
    }

    std::recursive_mutex mutex_;
    std::vector<Comm *> listed_;
    std::atomic<size_t> listed_count_{0};
    std::atomic<bool> forked_{false};
    std::once_flag fork_handler_;
    Job job_;
    FlightFile flights_;
    TraceFiles traces_;
    OwnIds own_ids_;
    Cryptos cryptos_;
    std::atomic<int> threads_inside_{0};
    Registry<Shape> types_{dtype_range};
    Registry<UserOperator> operators_{operator_range};
    UserMemory memory_;
    Plan &sent_;
};

// Always the same one, so that a call asks once.
[[gnu::const]] Process &process();

} // namespace xcoll

#include "core/process.h"

#include <pthread.h>

#include <algorithm>
#include <new>

#include "core/comm.h"
#include "core/plan.h"

namespace xcoll {

namespace {
struct ProcessAndPlan {
    Plan sent{Plan::Shared::by_all_sends};
    Process process{sent};
};
// Never destroyed: a program may end while another thread is still inside the library.
Process &the_process = (new ProcessAndPlan)->process;
} // namespace

Process &process() {
    return the_process;
}

Process::Process(Plan &sent) : sent_(sent) {
}
Process::~Process() = default;

void Process::watch_forks() {
    std::call_once(fork_handler_, [] {
        const auto note = [] { the_process.forked_.store(true, std::memory_order_relaxed); };
        if (pthread_atfork(nullptr, nullptr, note) != 0) {
            throw std::bad_alloc();
        }
    });
}

void Process::add(Comm &comm) {
    const std::lock_guard lock(mutex_);
    listed_.push_back(&comm);
    listed_count_.store(listed_.size(), std::memory_order_relaxed);
}

void Process::remove(Comm &comm) {
    const std::lock_guard lock(mutex_);
    std::erase(listed_, &comm);
    listed_count_.store(listed_.size(), std::memory_order_relaxed);
}

bool Process::has_in_flight() {
    if (listed_count_.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    // Without the lock another thread is driving.
    return !lock || std::any_of(listed_.begin(), listed_.end(), [](const Comm *comm) { return comm->has_in_flight(); });
}

bool Process::drive() {
    if (listed_count_.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    bool moved = false;
    // By number: the list may change meanwhile, by whom it tells of an end.
    for (size_t i = 0; lock && i < listed_.size(); ++i) {
        moved |= listed_[i]->drive();
    }
    return moved;
}

bool Process::anything_ready() {
    if (listed_count_.load(std::memory_order_relaxed) == 0) {
        return false;
    }
    const std::unique_lock lock(mutex_, std::try_to_lock);
    // Without the lock another thread is driving, and rings when something is done.
    return lock && std::any_of(listed_.begin(), listed_.end(), [](Comm *comm) { return comm->anything_ready(); });
}

} // namespace xcoll

#include "fabric/doorbell.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/clock.h"

namespace xcoll {

namespace {
// Without a barrier a wake-up can be lost, and without a bed there is none: then a nap must be over soon.
constexpr int64_t longest_nap_unwoken = 500 * microsecond;
} // namespace

bool Doorbell::enable_barriers() {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

void Doorbell::ring() const {
    const auto mine = static_cast<uint32_t>(me_) + 1;
    for (int i = 0; i < ranks_; ++i) {
        const uint32_t seen = beds_[i]->awaited.load(std::memory_order_seq_cst);
        if (seen == mine || seen == Bed::anybody) {
            wake(*beds_[i], seen);
        }
    }
}

void Doorbell::wake_own() const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (const uint32_t seen = beds_[me_]->awaited.load(std::memory_order_relaxed); seen != Bed::nobody) {
        wake(*beds_[me_], seen);
    }
}

void Doorbell::wake(Bed &bed, uint32_t seen) {
    if (bed.awaited.compare_exchange_strong(seen, Bed::nobody)) {
        syscall(SYS_futex, &bed.awaited, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    }
}

uint32_t Doorbell::lie_down(int owner) const {
    const uint32_t whom = owner < 0 ? Bed::anybody : static_cast<uint32_t>(owner) + 1;
    uint32_t empty = Bed::nobody;
    if (!beds_[me_]->awaited.compare_exchange_strong(empty, whom)) {
        return Bed::nobody; // another thread of this rank lies there
    }
    sleepers_->count.fetch_add(1, std::memory_order_seq_cst);
    if (barriers_) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
    }
    return whom;
}

void Doorbell::doze(uint32_t whom, int64_t nanoseconds) const {
    const bool wakeable = barriers_ && whom != Bed::nobody;
    const int64_t nap = wakeable ? nanoseconds : std::min(nanoseconds, longest_nap_unwoken);
    const timespec time = timespec_of(nap);
    if (whom == Bed::nobody) {
        nanosleep(&time, nullptr);
        return;
    }
    syscall(SYS_futex, &beds_[me_]->awaited, FUTEX_WAIT, whom, &time, nullptr, 0);
}

void Doorbell::get_up(uint32_t whom) const {
    if (whom == Bed::nobody) {
        return;
    }
    beds_[me_]->awaited.store(Bed::nobody, std::memory_order_seq_cst);
    sleepers_->count.fetch_sub(1, std::memory_order_seq_cst);
}

} // namespace xcoll

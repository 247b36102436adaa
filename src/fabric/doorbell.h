// Waking a rank that sleeps, at no cost while nobody does: the publisher has no fence, the sleeper pays for both.
//
// Every rank has a Bed in its segment; one Sleepers line per node counts who lies down.
//
//     publisher                                 sleeper
//     signal.store(v)                 (1)       bed.awaited = owner; sleepers.count += 1       (3)
//     if (sleepers.count)             (2)       membarrier: a full barrier on every processor  (4)
//         ring: who awaits me? wake             if (signal reached) get up                     (5)
//                                               futex sleep while bed.awaited == owner
//
// Nobody oversleeps. The barrier (4) falls somewhere into the publisher's instructions:
//   - after (1): the store has left the publisher's store buffer, so (5) sees the signal and gets up;
//   - before (1), and so before (2): what came before (4) is visible to (2), which sees a sleeper, looks at the beds,
//     finds itself awaited and swaps that for `nobody`, after which the futex does not sleep, or wakes up.
// A sequentially consistent store at (1) would do the same without (4), but it waits until the publisher owns the
// signal's line, which the peer has just read: up to one transfer of a line, in every operation.
// tests/model/doorbell.pml checks this with store buffers, and that it fails without (4).
//
// Where the kernel has no membarrier for all processes of the node, sleepers take short naps instead.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/signal.h"

namespace xcoll {

struct alignas(64) Bed {
    static constexpr uint32_t nobody = 0;    // awake
    static constexpr uint32_t anybody = ~0u; // wake me whoever publishes
    // nobody, anybody, or the node-local rank + 1 of the rank whose signal is awaited. Written by its owner, who lies
    // down and gets up, and set to nobody by who wakes it.
    std::atomic<uint32_t> awaited{nobody};
};

struct alignas(64) Sleepers {
    std::atomic<uint32_t> count{0};
};

// What a publisher needs: the count, and whom to look at when it is not zero.
class Doorbell {
public:
    // beds[i] is the bed of node-local rank i.
    // `barriers`: every process of the node has called enable_barriers with success.
    Doorbell(Sleepers *sleepers, Bed *const *beds, int ranks, int me, bool barriers)
        : sleepers_(sleepers), beds_(beds), ranks_(ranks), me_(me), barriers_(barriers) {
    }
    // Lets other processes' barriers reach this one. False if the kernel cannot.
    static bool enable_barriers();

    void publish(Signal &signal, uint64_t value) const {
        signal.store(value);
        // The compiler must not look first; the processor may, see above.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (sleepers_->count.load(std::memory_order_relaxed) != 0) [[unlikely]] {
            ring();
        }
    }
    // Wakes everybody who awaits this rank.
    void ring() const;
    // Sleeps until `owner` (node-local; -1: anybody) rings, or ready() is true, or the time is over. May return early.
    template <class Ready> void sleep(Ready ready, int owner, int64_t nanoseconds) const {
        const uint32_t whom = lie_down(owner);
        if (!ready()) {
            doze(whom, nanoseconds);
        }
        get_up(whom);
    }
    // Wakes a thread of this rank that waits for something another thread of this rank has just done.
    void wake_own() const;

private:
    uint32_t lie_down(int owner) const;
    void doze(uint32_t whom, int64_t nanoseconds) const;
    void get_up(uint32_t whom) const;
    static void wake(Bed &bed, uint32_t seen);

    Sleepers *sleepers_;
    Bed *const *beds_;
    int ranks_, me_;
    bool barriers_;
};

} // namespace xcoll

// The one wait function of the library.
//
// It spins for as long as a prompt peer needs, then yields the processor, then sleeps; all the while it drives what
// else this process has in flight, and it looks at the clock, at deadlines and at the health of the peers only once
// it is slow.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/signal.h"
#include "base/task.h"

namespace xcoll {

// What a wait needs to know about the world; called on the slow branch only.
class Watch {
public:
    virtual ~Watch() = default;
    // Moves everything else that this process has in flight. True if something moved.
    virtual bool drive() = 0;
    // Throws Failure if waiting is hopeless: the peer died or gave up, the deadline passed, somebody aborted.
    virtual void check(const Until &until, int64_t waited_ns) = 0;
    // Sleeps until the signal may have been reached, at most so long.
    virtual void sleep(const Until &until, int64_t nanoseconds) = 0;
    // A wait that was long enough to be checked has ended well.
    virtual void over() {
    }
};

struct Patience {
    int spins;  // polls before anything else is looked at
    int drives; // rounds of driving what else is in flight
    int yields; // rounds of driving and giving the processor away, before sleeping
};
// As many processors as ranks: a spin of some 10 us covers a peer that is merely at another place in its own work; a
// sleep and its wake-up cost about that much.
inline constexpr Patience patience_alone{1000, 200, 400};
// More ranks than processors: the peer may need this very processor, so give it away at once. Kernels without
// preemption make a spinner wait for the next tick, 4 ms.
inline constexpr Patience patience_crowded{1, 0, 100};

// For a message of one rank, which runs on another processor as likely as not. Giving this one away takes longer than
// its answer: with four ranks on two processors of a Xeon 8 bytes there and back take 1.3 us, and 3.8 without these
// looks, of which the last few come with a pause. With 300 of them, 1.0, but 16 KiB take 13 instead of 9.6 us.
inline constexpr Patience for_one_rank(const Patience &patience) {
    constexpr int spins = 270;
    return {std::max(patience.spins, spins), patience.drives, patience.yields};
}

// Requests and messages move only when they are driven, so polling alone is a waste.
inline constexpr Patience driving(const Patience &patience) {
    return {0, patience.spins, patience.yields};
}

void wait_slowly(const Until &until, Watch &watch, const Patience &patience);

inline void wait(const Until &until, Watch &watch, const Patience &patience) {
    if (!spin(until, patience.spins)) [[unlikely]] {
        wait_slowly(until, watch, patience);
    }
}

} // namespace xcoll

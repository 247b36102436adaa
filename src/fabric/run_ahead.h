// How a rank that is as far ahead as it may be waits for those who are behind: it leaves them alone for a while.
//
// How far they are lies in a line of each, which they write after every operation. A look takes the line away, and with
// it comes credit for one operation more; the peer's next store waits until the line is back, and so does all that it
// stores behind that:
//
//     look, look, look   64 ahead | write one | 64 ahead | write one | ...     each operation waits for a look
//     rarely             64 ahead | pause     | 32 ahead | write 32 |  ...     one look for many
//
// So whoever has come that far looks once in some trips, until they are half as far behind or stand still; then
// the usual wait begins. That cannot deadlock any more than it does, as nothing is waited for here that does not move.
// On a Xeon of the fourth generation whose cores share no cache broadcasts of 8 bytes from one root take 0.035 us like
// this, and 0.105 without; pauses of 150, 500 and 1500 ns did as well.
#pragma once

#include <algorithm>

#include "base/clock.h"
#include "base/task.h"
#include "fabric/window.h"

namespace xcoll {

// A call that waits for credit anyway, and the start of an operation, which is for nobody to wait for.
inline constexpr int looks_of_wait = 32, looks_of_start = 2;

// When the credit of operation n is wanted, with which this rank is so far ahead.
inline void let_peers_catch_up(Window &window, uint64_t n, uint64_t ahead, int looks) {
    constexpr uint64_t trips = 3;
    if (ahead <= slot_count || window.node().crowded()) {
        return; // they are near, or want this processor
    }
    for (uint64_t seen = window.everyone_done();; seen = window.everyone_done()) {
        const uint64_t start = ticks();
        window.look_at_everyone();
        finish_loads();
        const uint64_t end = ticks();
        // Who only gives has no other look from which to learn how far lines travel.
        window.first_look().learn(static_cast<int64_t>(end - start));
        if (window.everyone_done() == seen || window.has_credit(n, ahead / 2) || --looks == 0) {
            return;
        }
        while (ticks() - end < trips * std::min(end - start, window.first_look().absurd())) {
            cpu_relax();
        }
    }
}

} // namespace xcoll

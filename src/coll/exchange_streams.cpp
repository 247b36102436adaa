// Any Exchange in shared memory: everybody writes one stream, everybody reads its parts of all streams (streams.h).
//
// Cost per rank: alpha for the heads, then S_out + S_in bytes moved once each; chunks overlap writing and reading. Wins
// wherever parts differ in size or shape, and for messages that are too long for one piece.
#include "coll/credit.h"
#include "coll/streams.h"
#include "coll/window_algorithms.h"

namespace xcoll {

Task exchange_streams(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Window &window = *team.window;
    const Exchange exchange(op, team.rank, team.size);
    Streams streams(team, exchange, call, n);
    if (!streams.is_shown()) {
        if (!window.has_credit(n, streams.credit())) {
            co_await acquire_credit(home, window, n, streams.credit());
        }
        const bool has_room = streams.take_room();
        if (streams.wants_slot() || !has_room) {
            if (!window.has_credit(n, slot_count)) {
                co_await acquire_credit(home, window, n, slot_count);
            }
            streams.take_slot();
        }
        streams.enter();
    }
    for (int p = 0; p < team.size; ++p) {
        if (p != team.rank && streams.concerns(p)) {
            streams.use_time_until_entered(p);
            co_await window.entered(p, n);
        }
    }
    streams.settle();
    while (!streams.knows_parts()) {
        co_await streams.obstacle();
    }
    streams.move_own(); // all of it not before: where calls do not match, nothing moves
    while (!streams.advance()) {
        co_await streams.obstacle();
    }
    streams.finish();
}

} // namespace xcoll

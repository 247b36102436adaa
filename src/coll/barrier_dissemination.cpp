// Round k: every rank tells the rank 2^k further on that it, and all whom it has heard of, have arrived.
//
//     4 ranks     round 0            round 1             after round k a rank knows of 2^(k+1) ranks:
//                 0 > 1 > 2 > 3 > 0  0 > 2 > 0, 1 > 3 > 1    itself and those before it
//
// Cost: ceil(log2 P) alpha. No barrier by messages has fewer rounds; each rank sends and receives one message in each.
// Messages are empty: their envelope is all there is to say.
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"

namespace xcoll {

Task barrier_dissemination(TaskHome &home, Team &team, const Op &, const Fingerprint &call, uint64_t n) {
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    for (int distance = 1; distance < team.size; distance *= 2) {
        const int to = (team.rank + distance) % team.size;
        const int from = (team.rank - distance + team.size) % team.size;
        const Ticket arriving = operation.recv(from, nullptr, 0);
        const Ticket leaving = operation.send(to, nullptr, 0);
        co_await settle(home, operation, from, arriving);
        co_await settle(home, operation, to, leaving);
    }
    operation.end();
}

} // namespace xcoll

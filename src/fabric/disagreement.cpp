#include "fabric/disagreement.h"

namespace xcoll {

Failure mismatch(uint64_t n, int rank, const Fingerprint &mine, int peer, const Fingerprint &theirs) {
    return {XCOLL_ERR_MISMATCH,
            format("operation %llu: rank %d called %s, but rank %d called %s. All ranks of a communicator must call "
                   "the same operations in the same order",
                   static_cast<unsigned long long>(n), rank, describe(mine).c_str(), peer, describe(theirs).c_str()),
            peer};
}

Failure left_early(uint64_t n, int peer) {
    return failure_at(peer, XCOLL_ERR_MISMATCH,
                      "operation %llu: rank %d left it with an error; see the message on that rank",
                      static_cast<unsigned long long>(n), peer);
}

Failure gave_up(int peer, const Failure &farewell) {
    const bool is_dead = farewell.result() == XCOLL_ERR_PEER_DEAD;
    return failure_at(farewell.rank(), is_dead ? XCOLL_ERR_PEER_DEAD : XCOLL_ERR_ABORTED,
                      "rank %d gave up on this communicator (%s): %s", peer, result_name(farewell.result()),
                      farewell.what());
}

} // namespace xcoll

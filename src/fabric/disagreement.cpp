#include "fabric/disagreement.h"

#include "base/group_signature.h"

namespace xcoll {

namespace {

// Of two calls that seem to be alike: where they are not.
std::string difference(const Fingerprint &mine, const Fingerprint &theirs) {
    const FingerprintParts parts = FingerprintParts::of(mine);
    if (describe(mine) != describe(theirs)) {
        return "";
    }
    if (!parts.stance.is_in_step(FingerprintParts::of(theirs).stance)) {
        return ", which is another one, as earlier calls did not match: the ranks are in step again from one of the "
               "next on";
    }
    if (!joins_calls(parts.kind)) {
        return "";
    }
    const auto [first, last] = GroupSignature::difference(mine.count, theirs.count);
    return last == 0       ? ", of which some differ"
           : first == last ? format(", of which number %zu differs", first)
                           : format(", of which some differ among number %zu to %zu", first, last);
}

} // namespace

Failure mismatch(uint64_t n, int rank, const Fingerprint &mine, int peer, const Fingerprint &theirs) {
    const Failure failure =
        failure_at(peer, XCOLL_ERR_MISMATCH,
                   "operation %llu: rank %d called %s, but rank %d called %s%s. All ranks of a communicator must call "
                   "the same operations in the same order",
                   static_cast<unsigned long long>(n), rank, describe(mine).c_str(), peer, describe(theirs).c_str(),
                   difference(mine, theirs).c_str());
    return failure.with_behind(FingerprintParts::of(mine).stance.behind(FingerprintParts::of(theirs).stance));
}

Failure counts_differ(uint64_t n, int sender, size_t sent, int rank, size_t expected) {
    return failure_at(sender, XCOLL_ERR_MISMATCH,
                      "in operation %llu rank %d sends %zu bytes to rank %d, which expects %zu: the counts of the two "
                      "ranks differ",
                      static_cast<unsigned long long>(n), sender, sent, rank, expected);
}

Failure left_early(uint64_t n, int peer) {
    return failure_at(peer, XCOLL_ERR_MISMATCH,
                      "operation %llu: rank %d left it with an error; see the message on that rank",
                      static_cast<unsigned long long>(n), peer);
}

Failure gave_up(int peer, const Failure &farewell) {
    if (farewell.result() == XCOLL_ERR_ABORTED && farewell.rank() != peer) {
        return farewell; // of another rank, which these words name: it has left, or has given up
    }
    const bool is_dead = farewell.result() == XCOLL_ERR_PEER_DEAD;
    return failure_at(farewell.rank(), is_dead ? XCOLL_ERR_PEER_DEAD : XCOLL_ERR_ABORTED,
                      "rank %d gave up on this communicator (%s): %s", peer, result_name(farewell.result()),
                      farewell.what());
}

} // namespace xcoll

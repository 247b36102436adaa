// What a rank says when a peer does not go along: it called something else, left an operation early, or gave up on the
// communicator. In the same words whether the ranks share memory or send messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/op.h"

namespace xcoll {

// In operation n `rank` called `mine`.
Failure mismatch(uint64_t n, int rank, const Fingerprint &mine, int peer, const Fingerprint &theirs);
// The call was the same, but not how much `sender` has for this rank.
Failure counts_differ(uint64_t n, int sender, size_t sent, int rank, size_t expected);
Failure left_early(uint64_t n, int peer);
// For the reason in its farewell, which names the rank at fault.
Failure gave_up(int peer, const Failure &farewell);

} // namespace xcoll

// The algorithms over messages. Each file explains its own.
#pragma once

#include "coll/algorithm.h"

namespace xcoll {

Task allreduce_ring(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task allreduce_doubling(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task reduce_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task bcast_tree(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task barrier_dissemination(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task exchange_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task words_exchange(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

} // namespace xcoll

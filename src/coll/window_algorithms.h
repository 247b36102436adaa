// The algorithms over shared memory. Each file explains its own.
#pragma once

#include "coll/algorithm.h"

namespace xcoll {

Task one_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
// Of calls that are joined (joined_shot.h).
Task joined_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task reduce_streamed(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
// allreduce, reduce, scan, exscan; scans only if few_enough_for_scans().
Task reduce_two_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
bool few_enough_for_scans(Window &window);
Task reduce_gathered(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
// A premultiplied sum, by whatever algorithm a plain one would take.
Task reduce_scaled(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task allreduce_hierarchical(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task refusal(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task exchange_streams(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task exchange_attached(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

// How an operation goes on that one_shot could not finish, since some rank had no room in its ring or lends its
// buffers.
Algorithm behind_one_shot(Kind kind);
// Goes on with a reduction of which all heads are announced, in blocks through the boards' slots: for when some rank
// had no room in its ring. Slow, but needs no memory that another operation could be holding.
Task reduce_in_slots(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
// The same for one_shot: beside ranks that had room, and that have left if they read nobody who had none or who offers.
Task reduce_beside_whole(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
// Goes on with a reduction of which all heads are there and all buffers lent.
Task reduce_shared(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

} // namespace xcoll

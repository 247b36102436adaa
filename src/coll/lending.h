// Buffers that peers may use where they lie: in the owner's symmetric heap, or anywhere in the process that all ranks
// are threads of. A head tells it.
#pragma once

#include "base/overlap.h"
#include "coll/reduction.h"

namespace xcoll {

// A small one is copied: a program that writes its buffer again pays more for lines that another core has read than the
// copy costs (XCOLL_LEND).
inline bool can_lend(const Window &window, const void *buffer, size_t bytes) {
    return bytes >= window.least_lent() && (window.lends_private() || window.node().heap().reaches(buffer, bytes));
}
// What a head tells of a buffer that can be lent.
inline Lent lent_as(const Window &window, const void *buffer) {
    return window.lends_private() || !window.node().heap().reaches(buffer, 1) ? Lent::address : Lent::offset;
}
inline uint64_t lent_place(const Window &window, Lent kind, const void *buffer) {
    return kind == Lent::address ? reinterpret_cast<uintptr_t>(buffer) : window.offset_of(buffer);
}
inline uint64_t lent_place(const Window &window, const void *buffer) {
    return lent_place(window, lent_as(window, buffer), buffer);
}

// Of what only moves data, each rank lends or not, and waits at the end until its readers' `out` counts one more. What
// it shows in one piece (one_shot.h) it can lend if what comes in does not replace it.
inline bool can_lend_shown(const Window &window, const Op &op, size_t bytes) {
    return can_lend(window, op.send, bytes) && !(op.kind == Kind::alltoall && op.send == op.recv);
}
inline void lend(Window &window, Head &head, const void *buffer) {
    window.count_lent();
    head.lent = lent_as(window, buffer);
    head.place.offset = lent_place(window, buffer);
}

// Of a reduction everybody offers its buffers or not, and they are used if all do: reduce_shared.cpp. This rank does if
// all of its buffers that others would use can be lent, and if it would not overwrite its own.
inline bool can_offer(const Team &team, const Op &op) {
    const size_t bytes = input_count(op, team.size) * element_bytes(op);
    if (scans(op) || !can_lend(*team.window, op.send, bytes)) {
        return false;
    }
    if (scatters(op)) {
        return lie_apart(op.send, bytes, op.recv, result_of(op, team.rank).count * element_bytes(op));
    }
    const bool gets_result = op.kind == Kind::allreduce || op.root == team.rank;
    return !gets_result || can_lend(*team.window, op.recv, bytes);
}
// The payload's place and the counters' base are in the head already.
inline void offer(const Team &team, const Op &op, Head &head) {
    head.lent = lent_as(*team.window, op.send);
    head.place.send = lent_place(*team.window, op.send);
    head.place.recv = lent_place(*team.window, op.recv);
}

} // namespace xcoll

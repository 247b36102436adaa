// What a rank shows in one piece: which bytes of its input, and where a reader's are among them. Both ends know that.
//
//     of rank 1's input     | for 0 | for 1 | for 2 | for 3 |      all-to-all, scatter, reduce-scatter
//     it shows              | for 0 | for 2 | for 3 |              its own block is left out, and the others close up
//
// So fewer bytes travel, more parts fit a head, and two ranks write where they read, which is what swapping their slots
// pays for (Window::slot). Of uneven parts all ranks take room for as much as the one with the smallest shows: one that
// streams through the slots in turns (block_stream.h) must not meet another's whole message there. What is lent is the
// input as it lies.
#pragma once

#include "coll/reduction.h"

namespace xcoll {

// `kind` is the operation's, where the compiler may know it.
inline bool has_part_for_each(Kind kind) {
    return traits(kind).blocks || kind == Kind::reduce_scatterv;
}
// Where a rank's part begins in an input that has one for each; `rank` may be one past the last.
inline size_t part_begin(Kind kind, const Op &op, int rank) {
    return traits(kind).blocks ? static_cast<size_t>(rank) * op.bytes() : result_begin(op, rank) * element_bytes(op);
}

inline size_t part_bytes(Kind kind, const Op &op, int rank) {
    return traits(kind).blocks ? op.bytes() : op.counts[rank] * element_bytes(op);
}
// What every rank keeps for itself at least.
inline size_t kept_bytes(Kind kind, const Op &op) {
    return traits(kind).blocks ? op.bytes() : has_part_for_each(kind) ? op.least * element_bytes(op) : 0;
}

// How many bytes a rank gives.
[[gnu::always_inline]] inline size_t given_bytes(Kind kind, const Op &op, int rank, int ranks) {
    switch (kind) {
    case Kind::alltoall:
    case Kind::reduce_scatter:
        return op.bytes() * static_cast<size_t>(ranks);
    case Kind::scatter:
        return rank == op.root ? op.bytes() * static_cast<size_t>(ranks) : 0;
    case Kind::bcast:
        return rank == op.root ? op.bytes() : 0;
    case Kind::gather:
    case Kind::reduce:
        return rank == op.root ? 0 : op.bytes();
    case Kind::scan:
    case Kind::exscan:
        return rank == ranks - 1 ? 0 : op.bytes();
    default:
        return op.bytes();
    }
}
// And shows, or takes room for.
[[gnu::always_inline]] inline size_t shown_bytes(Kind kind, const Op &op, int rank, int ranks) {
    const size_t given = given_bytes(kind, op, rank, ranks);
    return given > 0 ? given - kept_bytes(kind, op) : 0;
}

// Where what a reader takes begins in what a writer gives.
inline size_t place_in_given(Kind kind, const Op &op, int reader) {
    return has_part_for_each(kind) ? part_begin(kind, op, reader) : 0;
}
// And shows.
inline size_t place_in_shown(Kind kind, const Op &op, int reader, int writer) {
    const bool closed_up = has_part_for_each(kind) && reader > writer;
    return place_in_given(kind, op, reader) - (closed_up ? part_bytes(kind, op, writer) : 0);
}

// Writes what this rank shows of op.send, by copy(to, from, bytes).
template <class Copy>
[[gnu::always_inline]] inline void write_shown(Kind kind, const Op &op, int rank, size_t shown, char *to, Copy copy) {
    const auto *from = static_cast<const char *>(op.send);
    if (!has_part_for_each(kind)) {
        copy(to, from, shown);
        return;
    }
    const size_t before = part_begin(kind, op, rank), next = part_begin(kind, op, rank + 1);
    const size_t end = shown + kept_bytes(kind, op); // of what it gives
    if (before > 0) {
        copy(to, from, before);
    }
    if (next < end) {
        copy(to + before, from + next, end - next);
    }
}

} // namespace xcoll

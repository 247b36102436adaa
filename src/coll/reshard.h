// Reshards whose parts are added up: several ranks hold the same elements, or partial sums of them.
#pragma once

#include <vector>

#include "coll/algorithm.h"

namespace xcoll {

// What comes to this rank, and what becomes of it. Every rank sends the elements that it has of each segment; the
// copies of a segment lie behind each other in the same order, so they are added as they come.
struct Reshard {
    struct Segment {
        Portion place; // its base counts from the receive buffer
        std::vector<int> holders;
    };
    std::vector<Segment> segments;
    std::vector<size_t> incoming; // bytes, by rank: its copies of the segments that it holds, in their order
    // Every rank holds everything and wants everything: these are the two buffers, in the same order. Their bases count
    // from the call's.
    bool everything = false;
    Portion whole_in, whole_out;
    // Every rank holds everything: elements of what each one wants. Or empty.
    std::vector<size_t> dealt;
};

// Over shared memory, and by messages.
Task reshard_reduce(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);
Task reshard_reduce_messages(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n);

} // namespace xcoll

// Counts that only the senders know, and room for those that a rank will be told.
#pragma once

#include <vector>

#include "coll/dynamic.h"
#include "sim/call.h"

namespace xcoll::sim {

struct Told {
    std::vector<uint64_t> given, found;
    Dynamic dynamic;

    // Of rank p, for as long as this lives. Whether what comes is packed is its own choice.
    void describe(Op &op, const Call &called, int p, int ranks, bool packed) {
        for (int to = 0; to < (called.is_shared() ? 1 : ranks); ++to) {
            given.push_back(called.given(p, to));
        }
        found.resize(static_cast<size_t>(ranks));
        const size_t bytes = size_of(called.dtype);
        dynamic = {.sendcounts = given.data(),
                   .recvcounts = found.data(),
                   .most = called.count,
                   .item_bytes = bytes,
                   .extent = static_cast<ptrdiff_t>(bytes),
                   .shape = nullptr,
                   .packed = packed};
        op.dynamic = &dynamic;
    }
};

} // namespace xcoll::sim

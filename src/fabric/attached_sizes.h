// Which private buffers a rank lends to ranks of other processes, for which the kernel copies them (fabric/attach.h),
// in bytes. None of them, as it stands.
#pragma once

#include <algorithm>
#include <cstddef>

namespace xcoll {

struct AttachedSizes {
    size_t least = ~size_t{0};
    size_t most = 0;                                         // where every rank copies
    size_t most_rooted = 0;                                  // where the root copies, or all others
    size_t most_in_message = 0;                              // of a user to another
    size_t least_in_pieces = ~size_t{0}, most_in_pieces = 0; // of groups and of parts of any shape
    size_t least_dealt = ~size_t{0};                         // where every byte has one reader, and all read

    // The same without shorter ones.
    AttachedSizes from(size_t bytes) const {
        AttachedSizes sizes = *this;
        sizes.least = std::max(least, bytes);
        sizes.least_in_pieces = std::max(least_in_pieces, bytes);
        sizes.least_dealt = std::max(least_dealt, bytes);
        return sizes;
    }
};

} // namespace xcoll

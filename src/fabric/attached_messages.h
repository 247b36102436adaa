// Which messages of private memory a rank lends to a rank of another process, for which the kernel copies them
// (fabric/attach.h), in bytes. None of them, as it stands.
#pragma once

#include <algorithm>
#include <cstddef>

namespace xcoll {

struct AttachedMessages {
    size_t least = ~size_t{0}, most = 0;

    bool hold(size_t bytes) const {
        return least <= bytes && bytes <= most;
    }
    // The same without shorter ones.
    AttachedMessages from(size_t bytes) const {
        return {std::max(least, bytes), most};
    }
};

} // namespace xcoll

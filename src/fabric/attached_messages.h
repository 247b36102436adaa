// Which messages of private memory a rank lends to a rank of another process, for which the kernel copies them
// (fabric/attach.h). None of them, as it stands.
#pragma once

#include <algorithm>
#include <cstddef>

namespace xcoll {

struct AttachedMessages {
    static constexpr size_t none = ~size_t{0};
    size_t least = none; // bytes
    // Those as well whose receiver sends nothing meanwhile. It alone would copy then, while two ranks copy what goes
    // through shared memory.
    bool one_way = false;

    bool are_any() const {
        return least != none;
    }
    bool hold(size_t bytes) const {
        return least <= bytes;
    }
    // The same without shorter ones.
    AttachedMessages from(size_t bytes) const {
        return {std::max(least, bytes), one_way};
    }
};

} // namespace xcoll

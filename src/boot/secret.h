// Bits that leave nothing in memory when they go.
#pragma once

#include <cstring>

namespace xcoll {

template <class Bits> struct Secret : Bits {
    ~Secret() {
        explicit_bzero(static_cast<Bits *>(this), sizeof(Bits));
    }
};

} // namespace xcoll

// Numbers that nobody can guess, from the kernel. Also where a crypto library is at hand: that one has its own from
// there too, and keeps a state that a fork or a copied virtual machine may double.
#pragma once

#include <cstddef>
#include <sys/random.h>

#include "base/error.h"

namespace xcoll {

// At most 256 bytes, which the kernel gives whole.
inline void fill_random(void *to, size_t bytes) {
    if (getrandom(to, bytes, 0) != static_cast<ssize_t>(bytes)) {
        fail_system("getrandom");
    }
}

} // namespace xcoll

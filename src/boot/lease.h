// Which of a process and its children serves a unique id, and whether it still does. A file in memory, which they have
// in common by fork: its seal says that somebody has begun, its lock is held by who does and goes when that ends.
#pragma once

#include "boot/packet.h"

namespace xcoll {

class Lease {
public:
    // Throws Failure.
    Lease();
    // True for the first who asks, in whichever process; it holds the lease until this object goes away.
    bool take();
    bool was_taken() const;
    // By another process.
    bool is_held() const;

private:
    Descriptor file_;
};

} // namespace xcoll

// Descriptors cross a machine over abstract Unix sockets. Each rank listens under a random name and calls every peer
// to hand its descriptor over. The allgather of the bootstrap, which strangers cannot join, carries the names and two
// secrets of each rank: a listener proves itself with one of them before a caller gives anything away, and a caller
// with the other one before the listener takes anything.
#pragma once

#include <cstdint>
#include <vector>

#include "boot/boot.h"
#include "boot/packet.h"

namespace xcoll {

// What the peers must know to reach and recognize a rank. Sent as a whole.
struct Doorplate {
    uint8_t name[16];
    uint64_t listener_secret[2];
    uint64_t caller_secret[2];
};

// Listens from here on; throws Failure.
class Door {
public:
    Door();
    const Doorplate &plate() const {
        return plate_;
    }
    int socket() const {
        return socket_.get();
    }

private:
    Doorplate plate_;
    Descriptor socket_;
};

// Collective over `peers` (ranks, ascending); `plates` holds the doorplates of all ranks. Gives the descriptors to
// `take`, at our own place a duplicate of `mine`. Bounded in time; throws Failure.
void exchange_over(const Door &door, int rank, int mine, const std::vector<int> &peers,
                   const std::vector<Doorplate> &plates, const TakeDescriptor &take);

} // namespace xcoll

// A bootstrap that has only an allgather: descriptors travel over Unix sockets between the ranks of a machine.
#pragma once

#include "boot/boot.h"

namespace xcoll {

class GatheringBootstrap : public Bootstrap {
public:
    void exchange_descriptors(int mine, const std::vector<int> &peers, const TakeDescriptor &take) final;
};

} // namespace xcoll

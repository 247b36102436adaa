// Where a set of processors lies in the machine, and which ones the calling thread may run on.
#pragma once

#include <vector>

#include "topo/machine.h"

namespace xcoll {

// The affinity of the calling thread, ascending; empty if the kernel does not say.
std::vector<int> allowed_processors();
// The place that all of these processors share.
Place place_of(const Machine &machine, const std::vector<int> &cpus);

} // namespace xcoll

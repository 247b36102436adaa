// What a communicator does not choose but finds, as JSON: how the library was built, the machine it runs on, the
// settings and who gave them.
#pragma once

#include <string>

#include "base/config.h"
#include "topo/topology.h"

namespace xcoll {

std::string describe_build();
// With what the calling thread may use of it now.
std::string describe_machine(const Topology &topology);
// Every variable, also those that nobody gave.
std::string describe_settings(const Settings &settings);

} // namespace xcoll

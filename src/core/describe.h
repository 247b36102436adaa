// What a communicator is, in words for people and programs.
#pragma once

#include <string>

#include "core/comm.h"

namespace xcoll {

// As JSON: who is in it, how its ranks reach each other, which algorithm serves which size of which operation.
std::string describe(const Comm &comm);

} // namespace xcoll

// Numbers that a launcher leaves in the environment.
#pragma once

#include <optional>

namespace xcoll {

// Nothing if the variable is not set. Throws Failure if it is not a number from 0 on; `who` sets it.
std::optional<int> environment_number(const char *name, const char *who);

} // namespace xcoll

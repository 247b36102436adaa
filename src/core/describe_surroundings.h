// What a communicator does not choose but finds, as JSON: how the library was built, the machine it runs on, the
// settings and who gave them.
#pragma once

#include <string>

#include "base/config.h"

namespace xcoll {

std::string describe_build();
// As the calling thread sees it now.
std::string describe_machine();
// Every variable, also those that nobody gave.
std::string describe_settings(const Settings &settings);

} // namespace xcoll

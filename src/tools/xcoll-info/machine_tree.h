// The machine drawn as a tree: what shares what.
#pragma once

#include <string>

#include "tools/shared/json.h"

namespace xcoll::info {

// From the library's description of the machine; each line begins with `indent`.
std::string draw_machine(const tools::Json &machine, const std::string &indent);
// "0-3,8": numbers in ascending order.
std::string show_list(const std::vector<int> &numbers);

} // namespace xcoll::info

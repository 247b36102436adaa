#pragma once

#include <string>
#include <vector>

namespace xcoll {

// The names in a folder, in no order. None and errno set if it cannot be read.
std::vector<std::string> list_folder(const std::string &path);

} // namespace xcoll

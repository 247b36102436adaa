// Small files: of /sys, of /proc, of users.
#pragma once

#include <optional>
#include <string>

namespace xcoll {

// All of the file; nothing if it cannot be read or is larger than 1 MiB.
std::optional<std::string> read_text(const std::string &path);

} // namespace xcoll

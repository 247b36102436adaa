// Small files of /sys and /proc.
#pragma once

#include <optional>
#include <string>

namespace xcoll {

// All of the file; nothing if it cannot be read or is larger than any file of its kind.
std::optional<std::string> read_text(const std::string &path);

} // namespace xcoll

// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace xcoll {

// With its quotes; what is not UTF-8 in it is replaced.
std::string quoted(std::string_view text);

} // namespace xcoll

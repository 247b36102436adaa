// What others call something, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace xcoll::tools {

// With a question mark for what would command the terminal and for what is no character of UTF-8.
std::string printable(std::string_view text);

} // namespace xcoll::tools

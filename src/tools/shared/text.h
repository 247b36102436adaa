// Putting text together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xcoll::tools {

// As printf.
[[gnu::format(printf, 1, 2)]] std::string format(const char *pattern, ...);
// The next item of a list.
void add_item(std::string &list, std::string_view separator, std::string_view item);
// With blanks up to a width.
std::string padded(std::string_view text, size_t width);
// "1 rank", "2 ranks"
std::string counted(long number, const char *one, const char *many);

// The parts between the separators, empty ones as well.
std::vector<std::string_view> split(std::string_view text, char separator);

} // namespace xcoll::tools

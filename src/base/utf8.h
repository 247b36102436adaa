// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace xcoll {

// How many bytes the character has that the text begins with; 0 if it begins with none.
size_t character_bytes(std::string_view text);

} // namespace xcoll

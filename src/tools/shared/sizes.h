// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xcoll::tools {

// "64", "16K", "1M", "2G"; nothing for anything else.
std::optional<uint64_t> parse_bytes(std::string_view text);
// "16 KiB" where that is exact, else "1000 B".
std::string show_bytes(uint64_t bytes);
// The same without a space and with a unit of one letter: "16K".
std::string short_bytes(uint64_t bytes);

} // namespace xcoll::tools

// Lists of sizes on a command line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xcoll::tools {

// Bytes: "8,1K", or "8:1M" from one power of the factor to the next, which is 2 or the third part. Throws Mistake.
std::vector<uint64_t> parse_sizes(std::string_view text);

} // namespace xcoll::tools

// Lists of sizes on a command line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xcoll::tools {

// Bytes: "8,1K", or "8:1M" from one power of the factor to the next, which is 2 or the third part. Throws Mistake.
std::vector<uint64_t> parse_sizes(std::string_view text);
// One of them, for `option`. Throws Mistake.
uint64_t parse_size(const char *option, std::string_view text);
// From first to last, each so many times as large as the one before, or larger by `step` if that is not 0.
std::vector<uint64_t> sizes_between(uint64_t first, uint64_t last, uint64_t factor, uint64_t step);

} // namespace xcoll::tools

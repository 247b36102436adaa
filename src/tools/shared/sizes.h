// Numbers of bytes as people read them. As they write them: base/amount.h.
#pragma once

#include <cstdint>
#include <string>

namespace xcoll::tools {

// "16 KiB" where that is exact, else "1000 B".
std::string show_bytes(uint64_t bytes);
// The same without a space and with a unit of one letter: "16K".
std::string short_bytes(uint64_t bytes);

} // namespace xcoll::tools

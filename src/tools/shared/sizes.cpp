#include "tools/shared/sizes.h"

#include <string_view>

namespace xcoll::tools {

namespace {

constexpr std::string_view units = " KMGT";

// How often 1024 divides a number, at most as often as there are units.
unsigned thousands(uint64_t bytes) {
    unsigned steps = 0;
    while (bytes >= 1024 && bytes % 1024 == 0 && steps + 1 < units.size()) {
        bytes /= 1024;
        ++steps;
    }
    return steps;
}

} // namespace

std::string show_bytes(uint64_t bytes) {
    const unsigned steps = thousands(bytes);
    return std::to_string(bytes >> (10 * steps)) + ' ' + (steps ? std::string(1, units[steps]) + "iB" : "B");
}

std::string short_bytes(uint64_t bytes) {
    const unsigned steps = thousands(bytes);
    return std::to_string(bytes >> (10 * steps)) + (steps ? std::string(1, units[steps]) : "");
}

} // namespace xcoll::tools

#include "tools/shared/sizes.h"

#include <charconv>

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

std::optional<uint64_t> parse_bytes(std::string_view text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    if (unit.empty()) {
        return value;
    }
    const size_t step = units.find(static_cast<char>(unit[0] & ~('a' ^ 'A')), 1);
    if (unit.size() > 1 || step == std::string_view::npos || value > ~uint64_t{0} >> (10 * step)) {
        return std::nullopt;
    }
    return value << (10 * step);
}

std::string show_bytes(uint64_t bytes) {
    const unsigned steps = thousands(bytes);
    return std::to_string(bytes >> (10 * steps)) + ' ' + (steps ? std::string(1, units[steps]) + "iB" : "B");
}

std::string short_bytes(uint64_t bytes) {
    const unsigned steps = thousands(bytes);
    return std::to_string(bytes >> (10 * steps)) + (steps ? std::string(1, units[steps]) : "");
}

} // namespace xcoll::tools

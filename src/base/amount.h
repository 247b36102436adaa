// Amounts as people write them, in settings, tuning files and options alike: 4096, 64K, 1m, 2G, 1T.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xcoll {

// Nothing if it is no amount, or does not fit.
inline std::optional<uint64_t> parse_amount(std::string_view text) {
    constexpr std::string_view units = "kmgt", capitals = "KMGT";
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    if (unit.empty()) {
        return value;
    }
    const size_t found = std::min(units.find(unit), capitals.find(unit));
    const size_t shift = 10 * (found + 1);
    if (unit.size() > 1 || found == std::string_view::npos || value > ~uint64_t{0} >> shift) {
        return std::nullopt;
    }
    return value << shift;
}

} // namespace xcoll

#include "tools/shared/size_list.h"

#include "base/amount.h"
#include "tools/shared/command_line.h"
#include "tools/shared/text.h"

namespace xcoll::tools {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40;
constexpr size_t most_sizes = 10'000; // more are a misprint

std::optional<uint64_t> size_in(std::string_view text) {
    const std::optional<uint64_t> bytes = parse_amount(text);
    return bytes && *bytes <= most_bytes ? bytes : std::nullopt;
}

uint64_t bytes_of(std::string_view text) {
    if (const std::optional<uint64_t> bytes = size_in(text)) {
        return *bytes;
    }
    throw Mistake("--sizes: '" + std::string(text) + "' is no size: expected bytes such as 64, 16K or 1M, a list " +
                  "8,1K, or a range 8:1M or 8:1M:4");
}

} // namespace

uint64_t parse_size(const char *option, std::string_view text) {
    if (const std::optional<uint64_t> bytes = size_in(text)) {
        return *bytes;
    }
    throw Mistake(option + (" " + std::string(text)) + ": expected bytes such as 64, 16K or 1M");
}

std::vector<uint64_t> sizes_between(uint64_t first, uint64_t last, uint64_t factor, uint64_t step) {
    if (last < first || factor < 2 || (first == 0 && last > 0 && step == 0)) {
        throw Mistake("no sizes go from " + std::to_string(first) + " to " + std::to_string(last) +
                      " bytes: expected them to grow from a size above 0, by a factor of 2 or more");
    }
    std::vector<uint64_t> sizes = {first};
    while (step > 0 ? sizes.back() + step <= last : sizes.back() > 0 && sizes.back() <= last / factor) {
        sizes.push_back(step > 0 ? sizes.back() + step : sizes.back() * factor);
        if (sizes.size() > most_sizes) {
            throw Mistake("these are more than " + std::to_string(most_sizes) + " sizes: expected larger steps");
        }
    }
    return sizes;
}

std::vector<uint64_t> parse_sizes(std::string_view text) {
    std::vector<uint64_t> sizes;
    for (const std::string_view item : split(text, ',')) {
        const std::vector<std::string_view> parts = split(item, ':');
        if (parts.size() > 3) {
            bytes_of(item);
        }
        const uint64_t first = bytes_of(parts[0]);
        const std::vector<uint64_t> range = sizes_between(first, parts.size() > 1 ? bytes_of(parts[1]) : first,
                                                          parts.size() > 2 ? bytes_of(parts[2]) : 2, 0);
        sizes.insert(sizes.end(), range.begin(), range.end());
    }
    return sizes;
}

} // namespace xcoll::tools

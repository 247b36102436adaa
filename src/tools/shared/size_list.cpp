#include "tools/shared/size_list.h"

#include "tools/shared/command_line.h"
#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::tools {

namespace {

constexpr uint64_t most_bytes = uint64_t{1} << 40;

uint64_t bytes_of(std::string_view text) {
    const std::optional<uint64_t> bytes = parse_bytes(text);
    if (!bytes || *bytes > most_bytes) {
        throw Mistake("--sizes: '" + std::string(text) + "' is no size: expected bytes such as 64, 16K or 1M, a list " +
                      "8,1K, or a range 8:1M or 8:1M:4");
    }
    return *bytes;
}

} // namespace

std::vector<uint64_t> parse_sizes(std::string_view text) {
    std::vector<uint64_t> sizes;
    for (const std::string_view item : split(text, ',')) {
        const std::vector<std::string_view> parts = split(item, ':');
        if (parts.size() > 3) {
            bytes_of(item);
        }
        const uint64_t first = bytes_of(parts[0]), last = parts.size() > 1 ? bytes_of(parts[1]) : first;
        const uint64_t factor = parts.size() > 2 ? bytes_of(parts[2]) : 2;
        if (last < first || factor < 2 || (first == 0 && last > 0)) {
            throw Mistake("--sizes: '" + std::string(item) + "' is no range: expected it to grow from a size above 0");
        }
        sizes.push_back(first);
        while (sizes.back() > 0 && sizes.back() <= last / factor) {
            sizes.push_back(sizes.back() * factor);
        }
    }
    return sizes;
}

} // namespace xcoll::tools

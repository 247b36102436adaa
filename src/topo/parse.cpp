#include "topo/parse.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace xcoll {

namespace {

constexpr int most_cpus = 65536; // more than any kernel can be built for: a larger number is garbage

std::string_view without_newline(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    return text;
}

// The text up to the separator, which is removed with it.
std::string_view take(std::string_view &text, char separator) {
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

std::optional<int> parse_cpu(std::string_view text) {
    const auto cpu = parse_number(text);
    if (!cpu || *cpu < 0 || *cpu >= most_cpus) {
        return std::nullopt;
    }
    return static_cast<int>(*cpu);
}

// Only what can be appended to a mount point and stays below it.
std::optional<std::string> group_path(std::string_view path) {
    if (path.empty() || path.front() != '/') {
        return std::nullopt;
    }
    // Seen from inside a namespace, a group above its root reads "/..": all that is known of it is the root.
    if (path == "/" || path.find("/..") != std::string_view::npos) {
        return "";
    }
    return std::string(path);
}

} // namespace

std::optional<int64_t> parse_number(std::string_view text) {
    text = without_newline(text);
    int64_t value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return value;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
    text = without_newline(text);
    std::vector<int> cpus;
    if (text.ends_with(',')) {
        return std::nullopt;
    }
    while (!text.empty()) {
        std::string_view range = take(text, ',');
        const bool single = range.find('-') == std::string_view::npos;
        const auto first = parse_cpu(take(range, '-'));
        const auto last = single ? first : parse_cpu(range);
        if (!first || !last || *last < *first || (!cpus.empty() && *first <= cpus.back())) {
            return std::nullopt;
        }
        for (int cpu = *first; cpu <= *last; ++cpu) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

std::optional<size_t> parse_cache_size(std::string_view text) {
    text = without_newline(text);
    unsigned shift = 0;
    if (!text.empty()) {
        shift = text.back() == 'K' ? 10 : text.back() == 'M' ? 20 : text.back() == 'G' ? 30 : 0;
        if (shift != 0) {
            text.remove_suffix(1);
        }
    }
    const auto number = parse_number(text);
    if (!number || *number <= 0 || *number > std::numeric_limits<int64_t>::max() >> shift) {
        return std::nullopt;
    }
    return static_cast<size_t>(*number) << shift;
}

std::optional<int> quota_processors(int64_t quota, int64_t period) {
    if (quota <= 0 || period <= 0) {
        return std::nullopt;
    }
    // Rounded down: of ranks that spin, one too many makes all wait until the next period.
    return static_cast<int>(std::clamp<int64_t>(quota / period, 1, most_cpus));
}

std::optional<int> parse_cpu_max(std::string_view text) {
    text = without_newline(text);
    const auto quota = parse_number(take(text, ' '));
    const auto period = parse_number(text);
    return quota && period ? quota_processors(*quota, *period) : std::nullopt;
}

ControlGroups parse_control_groups(std::string_view text) {
    ControlGroups groups;
    while (!text.empty()) {
        std::string_view line = take(text, '\n');
        const auto number = parse_number(take(line, ':'));
        const std::string_view controllers = take(line, ':');
        const auto path = group_path(line);
        if (!number || !path) {
            continue;
        }
        if (*number == 0 && controllers.empty()) {
            groups.unified = path;
        }
        for (std::string_view rest = controllers; !rest.empty();) {
            if (take(rest, ',') == "cpu") {
                groups.cpu = path;
                groups.cpu_hierarchy = controllers;
            }
        }
    }
    return groups;
}

} // namespace xcoll

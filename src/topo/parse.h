// The formats of the small files in /sys and /proc that describe the machine. Pure: text in, values out. Nothing for a
// text that is not as documented by the kernel, so that a file with garbage counts as a missing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xcoll {

// "12\n"
std::optional<int64_t> parse_number(std::string_view text);
// "0-3,8,10-11\n", ascending and without repeats; "\n" is an empty list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);
// "512K\n", "32M\n"
std::optional<size_t> parse_cache_size(std::string_view text);
// cpu.max of cgroup v2: "max 100000\n" (no limit: nothing) or "150000 100000\n"; rounded down, at least 1.
std::optional<int> parse_cpu_max(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us of cgroup v1; a quota of -1 is no limit.
std::optional<int> quota_processors(int64_t quota, int64_t period);

// The groups of a process by /proc/self/cgroup, as paths below the mount point of their hierarchy ("" is its root).
struct ControlGroups {
    std::optional<std::string> unified; // v2
    std::optional<std::string> cpu;     // v1: the path in the hierarchy with the cpu controller,
    std::string cpu_hierarchy;          // and the controllers mounted there: "cpu,cpuacct"
};
ControlGroups parse_control_groups(std::string_view text);

} // namespace xcoll

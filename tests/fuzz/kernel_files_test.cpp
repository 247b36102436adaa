// The small files of /sys and /proc that describe the machine: containers hide them, replace them and cut them off.
#include "fuzz/target.h"

#include <algorithm>
#include <functional>

#include "boot/process_stat.h"
#include "topo/parse.h"

namespace xcoll::fuzz {

void feed(std::string_view input) {
    if (const auto cpus = parse_cpu_list(input)) {
        must(std::is_sorted(cpus->begin(), cpus->end(), std::less_equal<>()), "processors ascend without repeats");
        must(cpus->empty() || cpus->front() >= 0, "processors count from 0");
    }
    must(parse_cache_size(input).value_or(1) > 0, "a cache has a size");
    must(parse_cpu_max(input).value_or(1) > 0, "a quota leaves a processor");
    if (const auto number = parse_number(input)) {
        must(quota_processors(*number, 1).value_or(1) > 0, "a quota leaves a processor");
        quota_processors(1, *number);
    }
    const ControlGroups groups = parse_control_groups(input);
    for (const auto &path : {groups.unified, groups.cpu}) {
        must(!path || path->find("/..") == std::string::npos, "a group lies below its mount point");
    }
    parse_process_stat(input);
}

std::vector<std::string> seeds() {
    return {
        "",
        "12\n",
        "0-3,8,10-11\n",
        "0-65535\n",
        "\n",
        "512K\n",
        "9223372036854775807G\n",
        "32M\n",
        "max 100000\n",
        "150000 100000\n",
        "-1\n",
        "0::/\n",
        "12:cpu,cpuacct:/docker/0123\n3:memory:/docker/0123\n0::/system.slice/a.service\n",
        "0::/../../other\n",
        "4711 (a) b (c)) S 1 4711 4711 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 3 0 12345 1000 200 18446744073709551615 1\n",
        "1 (",
        "1 ()",
        "1 () Z"};
}

} // namespace xcoll::fuzz

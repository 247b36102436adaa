#include <algorithm>
#include <string>

#include "base/read_text.h"
#include "topo/machine.h"
#include "topo/parse.h"
#include "topo/place.h"

namespace xcoll {

namespace {

constexpr int no_limit = 1 << 20;

// The smallest limit of a group and all groups above it, up to the mount point. A container may see a path that does
// not exist below its mount point, which then is the container's own group: missing groups have no say.
template <class Limit> int smallest_limit(const std::string &mount, std::string path, Limit limit) {
    int smallest = no_limit;
    for (;;) {
        smallest = std::min(smallest, limit(mount + path).value_or(no_limit));
        const size_t slash = path.rfind('/');
        if (slash == std::string::npos) {
            return smallest;
        }
        path.resize(slash);
    }
}

std::optional<int> unified_limit(const std::string &group) {
    const auto text = read_text(group + "/cpu.max");
    return text ? parse_cpu_max(*text) : std::nullopt;
}

std::optional<int> legacy_limit(const std::string &group) {
    const auto quota_text = read_text(group + "/cpu.cfs_quota_us");
    const auto period_text = read_text(group + "/cpu.cfs_period_us");
    if (!quota_text || !period_text) {
        return std::nullopt;
    }
    const auto quota = parse_number(*quota_text), period = parse_number(*period_text);
    return quota && period ? quota_processors(*quota, *period) : std::nullopt;
}

} // namespace

int usable_processors(const char *sysfs, const char *proc) {
    int count = static_cast<int>(allowed_processors().size());
    const std::string mounts = std::string(sysfs) + "/fs/cgroup";
    const auto text = read_text(std::string(proc) + "/self/cgroup");
    const ControlGroups groups = text ? parse_control_groups(*text) : ControlGroups{};
    if (groups.unified) {
        // Beside the v1 hierarchies, v2 is mounted one level further down.
        count = std::min(count, smallest_limit(mounts, *groups.unified, unified_limit));
        count = std::min(count, smallest_limit(mounts + "/unified", *groups.unified, unified_limit));
    }
    if (groups.cpu) {
        for (const std::string &name : {groups.cpu_hierarchy, std::string("cpu")}) {
            count = std::min(count, smallest_limit(mounts + "/" + name, *groups.cpu, legacy_limit));
        }
    }
    return std::max(count, 1);
}

} // namespace xcoll

#include "tools/shared/limits.h"

#include <fstream>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "base/amount.h"
#include "tools/shared/sizes.h"

namespace xcoll::tools {

namespace {

constexpr struct {
    __rlimit_resource_t resource;
    const char *name;
    bool is_bytes;
    const char *meaning;
} of_processes[] = {
    {RLIMIT_NOFILE, "open files", false, "64 are enough for a rank, xcollrun opens up to four for each rank"},
    {RLIMIT_NPROC, "processes", false, "of this user: each rank is one, each of its threads another"},
    {RLIMIT_FSIZE, "file size", true, "each rank's shared memory is a file without a name"},
    {RLIMIT_AS, "address space", true, "each rank maps the segments of all ranks of the machine"},
    {RLIMIT_MEMLOCK, "locked memory", true, "network cards want the buffers that they read to be locked"},
};

uint64_t value_of(rlim_t limit) {
    return limit == RLIM_INFINITY ? no_limit : limit;
}

void add_memory_of_container(std::vector<Limit> &limits) {
    for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::string text;
        // Version 1 writes the largest number of pages for no limit.
        constexpr uint64_t more_than_any_machine = uint64_t{1} << 60;
        if (std::ifstream(path) >> text) {
            const uint64_t value = parse_amount(text).value_or(no_limit);
            const uint64_t limit = value >= more_than_any_machine ? no_limit : value;
            limits.push_back(
                {"container's memory", true, limit, limit, "shared memory counts for who writes it first"});
            return;
        }
    }
}

void add_shm_folder(std::vector<Limit> &limits) {
    struct statvfs status {};
    if (statvfs("/dev/shm", &status) == 0) {
        const uint64_t bytes = uint64_t{status.f_blocks} * status.f_frsize;
        limits.push_back(
            {"/dev/shm", true, bytes, bytes, "not used by xcoll, whatever its size; by many other libraries"});
    }
}

} // namespace

std::vector<Limit> read_limits() {
    std::vector<Limit> limits;
    for (const auto &row : of_processes) {
        rlimit values{};
        if (getrlimit(row.resource, &values) == 0) {
            limits.push_back(
                {row.name, row.is_bytes, value_of(values.rlim_cur), value_of(values.rlim_max), row.meaning});
        }
    }
    add_memory_of_container(limits);
    add_shm_folder(limits);
    return limits;
}

std::string show_limit(const Limit &limit, uint64_t value) {
    if (value == no_limit) {
        return "none";
    }
    return limit.is_bytes ? show_bytes(value) : std::to_string(value);
}

} // namespace xcoll::tools

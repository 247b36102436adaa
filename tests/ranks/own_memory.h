// What this process has of the machine: memory that is shared, and open files.
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <string>

#include "ranks.h"

namespace ranks {

struct Belongings {
    uint64_t shared_bytes = 0; // in memory files of the library that this process holds open: its own, not its peers'
    size_t files = 0;
};

inline Belongings belongings() {
    Belongings found;
    DIR *folder = opendir("/proc/self/fd");
    check(folder != nullptr, "cannot list the open files");
    while (const dirent *entry = readdir(folder)) {
        char target[64] = {};
        struct stat status;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) < 0) {
            continue; // . and ..
        }
        ++found.files;
        if (std::strncmp(target, "/memfd:xcoll", 12) == 0 && fstat(std::stoi(entry->d_name), &status) == 0) {
            found.shared_bytes += static_cast<uint64_t>(status.st_blocks) * 512;
        }
    }
    closedir(folder);
    return found;
}

} // namespace ranks

#include "tools/shared/processes.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>

namespace xcoll::tools {

std::optional<ProcessEntry> read_process(pid_t pid) {
    const int file = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return std::nullopt;
    char text[1024];
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    // The command's name may contain anything; what follows its last parenthesis does not.
    const char *fields = std::strrchr(text, ')');
    char state;
    int parent;
    if (fields == nullptr || std::sscanf(fields, ") %c %d", &state, &parent) != 2)
        return std::nullopt;
    return ProcessEntry{pid, parent, state};
}

std::vector<ProcessEntry> all_processes() {
    struct Close {
        void operator()(DIR *open) const {
            closedir(open);
        }
    };
    std::vector<ProcessEntry> processes;
    const std::unique_ptr<DIR, Close> entries(opendir("/proc"));
    while (const dirent *entry = entries ? readdir(entries.get()) : nullptr) {
        const char *end = entry->d_name + std::strlen(entry->d_name);
        int pid = 0;
        if (std::from_chars(entry->d_name, end, pid).ptr != end)
            continue;
        if (const auto process = read_process(pid))
            processes.push_back(*process);
    }
    return processes;
}

std::vector<pid_t> descendants(pid_t of) {
    const std::vector<ProcessEntry> processes = all_processes();
    std::set<pid_t> found = {of};
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (const ProcessEntry &process : processes)
            if (found.count(process.parent) != 0)
                found.insert(process.pid);
    }
    found.erase(of);
    return {found.begin(), found.end()};
}

} // namespace xcoll::tools

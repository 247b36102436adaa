#include "tools/shared/processes.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "base/list_folder.h"
#include "base/read_text.h"

namespace xcoll::tools {

std::optional<ProcessEntry> read_process(pid_t pid) {
    const auto text = read_text("/proc/" + std::to_string(pid) + "/stat");
    // The command's name may contain anything; what follows its last parenthesis does not.
    const char *fields = text ? std::strrchr(text->c_str(), ')') : nullptr;
    char state;
    int parent;
    if (fields == nullptr || std::sscanf(fields, ") %c %d", &state, &parent) != 2) {
        return std::nullopt;
    }
    return ProcessEntry{pid, parent, state};
}

std::vector<ProcessEntry> all_processes() {
    std::vector<ProcessEntry> processes;
    for (const std::string &name : list_folder("/proc")) {
        const char *end = name.data() + name.size();
        int pid = 0;
        if (std::from_chars(name.data(), end, pid).ptr != end) {
            continue;
        }
        if (const auto process = read_process(pid)) {
            processes.push_back(*process);
        }
    }
    return processes;
}

std::vector<pid_t> descendants(pid_t of) {
    const std::vector<ProcessEntry> processes = all_processes();
    std::set<pid_t> found = {of};
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (const ProcessEntry &process : processes) {
            if (found.count(process.parent) != 0) {
                found.insert(process.pid);
            }
        }
    }
    found.erase(of);
    return {found.begin(), found.end()};
}

} // namespace xcoll::tools

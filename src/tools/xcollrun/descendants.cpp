#include "tools/xcollrun/descendants.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace xcoll::launcher {

namespace {

struct Process {
    pid_t pid, parent;
};

std::optional<Process> read_process(const char *name) {
    int pid = 0;
    const char *end = name + std::strlen(name);
    if (std::from_chars(name, end, pid).ptr != end)
        return std::nullopt;
    const int file = open(("/proc/" + std::string(name) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
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
    return Process{pid, parent};
}

std::vector<Process> all_processes() {
    struct Close {
        void operator()(DIR *open) const {
            closedir(open);
        }
    };
    std::vector<Process> processes;
    const std::unique_ptr<DIR, Close> entries(opendir("/proc"));
    while (const dirent *entry = entries ? readdir(entries.get()) : nullptr)
        if (const auto process = read_process(entry->d_name))
            processes.push_back(*process);
    return processes;
}

} // namespace

std::vector<pid_t> descendants(pid_t of) {
    const std::vector<Process> processes = all_processes();
    std::set<pid_t> found = {of};
    for (size_t before = 0; before != found.size();) {
        before = found.size();
        for (const Process &process : processes)
            if (found.count(process.parent) != 0)
                found.insert(process.pid);
    }
    found.erase(of);
    return {found.begin(), found.end()};
}

void adopt_descendants() {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void kill_descendants() {
    for (;;) {
        const std::vector<pid_t> left = descendants(getpid());
        for (const pid_t pid : left)
            kill(pid, SIGKILL);
        pid_t ended;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        // With children but nothing found, /proc is of no use: the ranks die with us, the rest is out of reach.
        if ((ended < 0 && errno == ECHILD) || left.empty())
            return;
        usleep(1000);
    }
}

} // namespace xcoll::launcher

#include "tools/xcollrun/descendants.h"

#include <cerrno>
#include <csignal>
#include <new>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/shared/processes.h"

namespace xcoll::launcher {

void adopt_descendants() {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

namespace {

void kill_all() {
    for (;;) {
        const std::vector<pid_t> left = tools::descendants(getpid());
        for (const pid_t pid : left) {
            kill(pid, SIGKILL);
        }
        pid_t ended;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        // With children but nothing found, /proc is of no use: the ranks die with us, the rest is out of reach.
        if ((ended < 0 && errno == ECHILD) || left.empty()) {
            return;
        }
        usleep(1000);
    }
}

} // namespace

void kill_descendants() noexcept {
    try {
        kill_all();
    } catch (const std::bad_alloc &) {
        kill(getpid(), SIGKILL);
    }
}

} // namespace xcoll::launcher

#include "tools/xcollrun/signals.h"

#include <cstring>
#include <sys/wait.h>

namespace xcoll::launcher {

namespace {

constexpr int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};

} // namespace

Signals::Signals() {
    sigemptyset(&read_);
    for (const int signal : {SIGCHLD, SIGTSTP, SIGCONT}) {
        sigaddset(&read_, signal);
    }
    for (const int signal : passed_on) {
        struct sigaction action;
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&read_, signal);
        }
    }
    // With SIGCHLD ignored, the ends of children would be lost.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, nullptr);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, &pipe_);
    sigprocmask(SIG_BLOCK, &read_, &original_);
    reopen();
}

void Signals::reopen() {
    descriptor_ = Descriptor(signalfd(-1, &read_, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<signalfd_siginfo> Signals::next() const {
    signalfd_siginfo info;
    if (read(descriptor_.get(), &info, sizeof info) != sizeof info) {
        return std::nullopt;
    }
    return info;
}

void Signals::restore() const {
    sigaction(SIGPIPE, &pipe_, nullptr);
    sigprocmask(SIG_SETMASK, &original_, nullptr);
}

void stop_here() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
}

std::string describe_end(int wait_status) {
    if (WIFEXITED(wait_status)) {
        return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
    }
    const int signal = WTERMSIG(wait_status);
    return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

int exit_code_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

} // namespace xcoll::launcher

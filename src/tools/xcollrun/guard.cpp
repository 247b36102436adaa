#include "tools/xcollrun/guard.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "tools/xcollrun/descendants.h"

namespace xcoll::launcher {

namespace {

// The launcher has ended, or somebody killed it.
[[noreturn]] void finish(int wait_status) {
    if (!WIFEXITED(wait_status)) {
        std::fprintf(stderr, "xcollrun: the launcher %s: killing the ranks\n", describe_end(wait_status).c_str());
        kill_descendants();
    }
    std::exit(exit_code_of(wait_status));
}

void tell(pid_t launcher, int pipe, const signalfd_siginfo &signal) {
    const SentSignal sent = {static_cast<int32_t>(signal.ssi_signo), static_cast<int32_t>(signal.ssi_pid)};
    // What the kernel sends, it sends to the launcher as well: a key was pressed, the terminal has hung up.
    if (signal.ssi_signo == SIGCHLD || signal.ssi_code == SI_KERNEL) {
        return;
    }
    if (signal.ssi_signo == SIGCONT) {
        kill(launcher, SIGCONT); // a stopped process reads no pipe
    } else if (write(pipe, &sent, sizeof sent) < 0) {
        kill(launcher, SIGTERM);
    }
}

[[noreturn]] void watch(pid_t launcher, int pipe, const Signals &signals) {
    for (;;) {
        pollfd entry = {signals.descriptor(), POLLIN, 0};
        poll(&entry, 1, -1);
        while (const auto signal = signals.next()) {
            tell(launcher, pipe, *signal);
            if (signal->ssi_signo == SIGTSTP) {
                stop_here();
            }
        }
        int status;
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended == launcher) {
                finish(status);
            }
        }
    }
}

} // namespace

Guard::Guard(Signals &signals) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        std::perror("xcollrun: pipe");
        std::exit(125);
    }
    pipe_ = Descriptor(ends[0]);
    const Descriptor writer(ends[1]);
    adopt_descendants();
    const pid_t launcher = fork();
    if (launcher < 0) {
        std::perror("xcollrun: fork");
        std::exit(125);
    }
    if (launcher > 0) {
        pipe_.reset();
        watch(launcher, writer.get(), signals);
    }
    // Not to be found by who kills all processes named xcollrun: one of the two must be left to clean up.
    prctl(PR_SET_NAME, "xcoll-launch", 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0); // were we stopped, we would not see the guard die
    adopt_descendants();
    signals.reopen();
}

void Guard::came_to_group(const signalfd_siginfo &signal) {
    constexpr int64_t soon_ms = 1000;
    if (signal.ssi_code == SI_KERNEL) {
        return; // the guard does not tell of these
    }
    // By the time that the guard's word of a stop is read, we were stopped for as long as it pleased the user.
    const int64_t until = signal.ssi_signo == SIGTSTP ? std::numeric_limits<int64_t>::max() : now_ms() + soon_ms;
    seen_[signal.ssi_signo] = {static_cast<int32_t>(signal.ssi_pid), until};
}

std::optional<SentSignal> Guard::next() {
    SentSignal signal;
    for (;;) {
        const ssize_t got = read(pipe_.get(), &signal, sizeof signal);
        gone_ = gone_ || got == 0;
        if (got != sizeof signal) {
            return std::nullopt;
        }
        Seen &seen = seen_[static_cast<size_t>(signal.number)];
        if (seen.sender != signal.sender || now_ms() > seen.until) {
            return signal;
        }
        seen = {};
    }
}

} // namespace xcoll::launcher

// The signals of the launcher: read, never handled, and given back to the ranks as the launcher found them.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <sys/signalfd.h>

#include "boot/launcher_protocol.h"

namespace xcoll::launcher {

class Signals {
public:
    // Blocks what is to be read: SIGCHLD, job control, and all that is passed on to the ranks unless it was ignored
    // when we were started (nohup, a background job of a script).
    Signals();
    // After a fork, for a process that reads signals of its own.
    void reopen();

    int descriptor() const {
        return descriptor_.get();
    }
    // The next signal that has come, if any.
    std::optional<signalfd_siginfo> next() const;
    // In a rank, before its program is run.
    void restore() const;

private:
    sigset_t read_, original_;
    struct sigaction pipe_;
    Descriptor descriptor_;
};

// Stops this process as SIGTSTP does: not at all if there is no shell that could continue it.
void stop_here();

// "exited with code 3", "was killed by signal 9 (Killed)"
std::string describe_end(int wait_status);
// What a shell would report.
int exit_code_of(int wait_status);

} // namespace xcoll::launcher

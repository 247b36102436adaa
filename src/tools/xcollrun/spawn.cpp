#include "tools/xcollrun/spawn.h"

#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "boot/launcher_protocol.h"
#include "tools/xcollrun/exit_codes.h"
#include "tools/xcollrun/processors.h"

namespace xcoll::launcher {

namespace {

struct Pair {
    Descriptor ours, theirs;
};

[[noreturn]] void fail_start(int rank, const char *call) {
    throw StartFailure{"cannot start rank " + std::to_string(rank) + ": " + call + ": " + std::strerror(errno) +
                           (errno == EAGAIN ? " (too many processes? see ulimit -u)" : ""),
                       could_not_start};
}

Pair make_pipe(int rank) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fail_start(rank, "pipe");
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pair make_control(int rank) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail_start(rank, "socketpair");
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void set_number(const char *name, int value) {
    setenv(name, std::to_string(value).c_str(), 1);
}

void set_environment(const Launch &launch, int rank, int control) {
    for (const std::string &variable : launch.options.environment) {
        const size_t equals = variable.find('=');
        setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
    set_number(control_variable, control);
    set_number(rank_variable, rank);
    set_number(size_variable, launch.options.ranks);
    set_number(local_rank_variable, rank);
    set_number(local_size_variable, launch.options.ranks);
}

void redirect(const Launch &launch, int rank, const Pair &output, const Pair &errors) {
    if (rank > 0) {
        dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    }
    if (launch.options.label) {
        dup2(output.theirs.get(), STDOUT_FILENO);
        dup2(errors.theirs.get(), STDERR_FILENO);
    }
}

// In the child: becomes the program; returns only if that fails.
void become(const Launch &launch, int rank, pid_t launcher, int control) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != launcher) {
        _exit(could_not_start); // it died before we asked to die with it
    }
    // Above the numbers that shell scripts use for their own redirections.
    constexpr int out_of_the_way = 20;
    int inherited = fcntl(control, F_DUPFD, out_of_the_way);
    if (inherited < 0) {
        inherited = dup(control);
    }
    set_environment(launch, rank, inherited);
    if (!launch.processors.empty()) {
        bind_to(launch.processors[static_cast<size_t>(rank)]);
    }
    setrlimit(RLIMIT_NOFILE, &launch.open_files);
    launch.signals.restore();
    std::vector<char *> arguments;
    for (const std::string &argument : launch.options.command) {
        arguments.push_back(const_cast<char *>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
}

// Waits until the child runs the program, or learns why it does not.
void check_started(const Launch &launch, pid_t pid, Descriptor &report) {
    int error = 0;
    ssize_t got;
    do {
        got = read(report.get(), &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof error) {
        return;
    }
    waitpid(pid, nullptr, 0);
    const std::string &program = launch.options.command.front();
    const bool in_path = program.find('/') == std::string::npos; // then what lies in this folder does not count
    if (error == ENOENT && !in_path && access(program.c_str(), F_OK) == 0) {
        throw StartFailure{"cannot run " + program + ": the interpreter that it asks for is not found", not_runnable};
    }
    if (error == ENOENT) {
        throw StartFailure{"program not found: " + program + (in_path ? " (not in PATH; ./" + program + "?)" : ""),
                           not_found};
    }
    throw StartFailure{"cannot run " + program + ": " + std::strerror(error), not_runnable};
}

} // namespace

RankProcess start_rank(const Launch &launch, int rank) {
    Pair control = make_control(rank), report = make_pipe(rank), output, errors;
    if (launch.options.label) {
        output = make_pipe(rank);
        errors = make_pipe(rank);
    }
    const pid_t launcher = getpid(), pid = fork();
    if (pid < 0) {
        fail_start(rank, "fork");
    }
    if (pid == 0) {
        int error = ENOMEM;
        try {
            redirect(launch, rank, output, errors);
            become(launch, rank, launcher, control.theirs.get());
            error = errno;
        } catch (const std::bad_alloc &) { // told like any other reason
        }
        if (write(report.theirs.get(), &error, sizeof error) < 0) {
            _exit(could_not_start);
        }
        _exit(not_found);
    }
    report.theirs.reset();
    check_started(launch, pid, report.ours);
    return {pid, std::move(control.ours), std::move(output.ours), std::move(errors.ours)};
}

} // namespace xcoll::launcher

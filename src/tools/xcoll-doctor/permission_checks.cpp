// What is this process allowed to do, and how much of it?
#include <cerrno>
#include <csignal>
#include <cstring>
#include <linux/membarrier.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/shared/open_files.h"
#include "tools/shared/text.h"
#include "tools/xcoll-doctor/check.h"

namespace xcoll::doctor {

using tools::format;

namespace {

Finding look_at_open_files(const Patient &patient) {
    rlimit values{};
    getrlimit(RLIMIT_NOFILE, &values);
    const auto soft = static_cast<unsigned long long>(values.rlim_cur),
               hard = static_cast<unsigned long long>(values.rlim_max);
    // A rank keeps what it opens below this, however many ranks there are. xcollrun raises its own limit as far as it
    // may, and needs most with --label.
    constexpr unsigned long long of_rank = 64;
    const unsigned long long plain = tools::open_files_needed(patient.ranks, false, tools::fewest_open_before),
                             labelled = tools::open_files_needed(patient.ranks, true, tools::fewest_open_before);
    const char *advice = "raise the limit: ulimit -n, nofile in /etc/security/limits.conf, --ulimit of a container";
    if (hard < plain || soft < of_rank) {
        return problem(format("%llu, at most %llu, but %d ranks need %llu in each of them and %llu in xcollrun", soft,
                              hard, patient.ranks, of_rank, plain),
                       "ranks hand each other descriptors while they start, and would run out of them", advice);
    }
    if (hard < labelled) {
        return warning(format("%llu, at most %llu, enough for %d ranks, but xcollrun needs %llu to label their output",
                              soft, hard, patient.ranks, labelled),
                       "jobs of so many ranks start without --label only", advice);
    }
    return good(format("%llu, enough for %s", soft, tools::counted(patient.ranks, "rank", "ranks").c_str()));
}

Finding look_at_filter(const Patient &patient) {
    const std::string mode = read_field(patient, "/proc/self/status", "Seccomp").value_or("0");
    return mode == "0" ? good("system calls are not filtered")
                       : good("system calls are filtered (seccomp mode " + mode + "); what xcoll calls is tried here");
}

Finding look_at_sleeping(const Patient &) {
    const long supported = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    if (supported < 0 || (supported & MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0) {
        return warning(supported < 0 ? format("membarrier fails: %s", std::strerror(errno))
                                     : std::string("this kernel's membarrier does not reach other processes"),
                       "ranks that wait long cannot be woken at once and take short naps instead",
                       "allow membarrier in the filter of this container, and use a kernel from 4.16 on");
    }
    return good("sleeping ranks can be woken at once");
}

Finding look_at_attaching(const Patient &patient) {
    const std::string scope = read_line(patient, "/proc/sys/kernel/yama/ptrace_scope").value_or("0");
    const std::string seen = "ptrace scope " + scope;
    if (scope != "0" && scope != "1") {
        return warning(
            seen, "a debugger cannot attach to a rank that hangs, not even to one's own",
            "sysctl kernel.yama.ptrace_scope=1 (3 lasts until the next start), or start ranks in a debugger");
    }
    return good(seen + (scope == "0" ? ": debuggers attach to any rank of this user"
                                     : ": debuggers attach to ranks only as root, or if they started them"));
}

// What process_vm_readv says to a process that reads a word of another one.
int try_to_read(pid_t other, const long &there) {
    long here = 0;
    const iovec mine = {&here, sizeof here}, theirs = {const_cast<long *>(&there), sizeof there};
    const ssize_t got = process_vm_readv(other, &mine, 1, &theirs, 1, 0);
    return got < 0 ? errno : got == sizeof here && here == there ? 0 : EFAULT;
}

// Of two children, as ranks are of their launcher: parents may do more.
int try_cross_memory() {
    const long word = 42;
    const pid_t other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    if (other < 0) {
        return errno;
    }
    const pid_t reader = fork();
    if (reader == 0) {
        _exit(try_to_read(other, word));
    }
    int cause = errno, status = 0;
    if (reader > 0) {
        waitpid(reader, &status, 0);
        cause = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
    }
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    return cause;
}

Finding look_at_cross_memory(const Patient &) {
    if (const int cause = try_cross_memory(); cause != 0) {
        return warning(
            format("ranks may not read each other's memory: process_vm_readv fails: %s", std::strerror(cause)),
            "large private buffers are copied twice, through shared memory, and not once (XCOLL_CMA)",
            "sysctl kernel.yama.ptrace_scope=0, and allow process_vm_readv in the filter of this container "
            "(seccomp)");
    }
    return good("ranks may read each other's memory, so the kernel can copy large private buffers");
}

Finding look_at_namespace(const Patient &patient) {
    const std::string map = read_line(patient, "/proc/self/uid_map").value_or("");
    // "inside outside length": all users as they are.
    const bool is_first = map.empty() || map.find("4294967295") != std::string::npos;
    return good(is_first ? "the machine's own users"
                         : "a user namespace: ranks share memory only with those in the same namespaces");
}

constexpr Check table[] = {{"open files", look_at_open_files},     {"call filter", look_at_filter},
                           {"sleeping", look_at_sleeping},         {"debuggers", look_at_attaching},
                           {"cross-memory", look_at_cross_memory}, {"users", look_at_namespace}};

} // namespace

std::span<const Check> permission_checks() {
    return table;
}

} // namespace xcoll::doctor

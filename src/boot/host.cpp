#include "boot/host.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "boot/process_stat.h"

namespace xcoll {

namespace {

// The first bytes of a small file of /proc; empty if it cannot be read.
std::string read_start(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return {};
    }
    char text[1024]; // the line of a process is shorter: some fifty numbers, a name of 16 bytes
    ssize_t got;
    do {
        got = read(file, text, sizeof text);
    } while (got < 0 && errno == EINTR);
    close(file);
    return got > 0 ? std::string(text, static_cast<size_t>(got)) : std::string();
}

uint64_t namespace_number(const char *path) {
    struct stat status;
    // A kernel without this kind of namespace has one for all.
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

void read_boot_id(uint64_t id[2]) {
    constexpr const char *path = "/proc/sys/kernel/random/boot_id";
    id[0] = id[1] = 0;
    int digits = 0;
    for (const char c : read_start(path)) {
        unsigned value;
        if (digits < 32 && std::from_chars(&c, &c + 1, value, 16).ec == std::errc()) {
            id[digits / 16] = id[digits / 16] << 4 | value;
            ++digits;
        }
    }
    if (digits != 32) {
        fail(XCOLL_ERR_SYSTEM, "cannot tell this machine from others: %s has no boot id; is /proc mounted?", path);
    }
}

template <class Number> bool next_number(std::string_view &text, Number &value) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return false;
    }
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

} // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
    ProcessStat stat{};
    if (!next_number(text, stat.pid)) {
        return std::nullopt;
    }
    // The name is whatever the process chose: only its last parenthesis ends it, as all later fields are numbers.
    const size_t open = text.find('('), close = text.rfind(')');
    if (open != 1 || close == std::string_view::npos || text.size() < close + 4) {
        return std::nullopt;
    }
    stat.state = text[close + 2];
    // An emulator of other processors makes up a line for its own process, with numbers only.
    if (stat.state < 'A') {
        return std::nullopt;
    }
    text.remove_prefix(close + 3);
    constexpr int threads_field = 20, start_field = 22;
    for (int field = 4; field < start_field; ++field) {
        int64_t value;
        if (!next_number(text, value)) {
            return std::nullopt;
        }
        if (field == threads_field) {
            stat.threads = value;
        }
    }
    if (!next_number(text, stat.start_time)) {
        return std::nullopt;
    }
    return stat;
}

HostIdentity host_identity() {
    HostIdentity host{};
    read_boot_id(host.boot);
    host.pid_namespace = namespace_number("/proc/self/ns/pid");
    host.net_namespace = namespace_number("/proc/self/ns/net");
    host.user_namespace = namespace_number("/proc/self/ns/user");
    host.user = geteuid();
    return host;
}

ProcessIdentity process_identity() {
    const int64_t pid = getpid();
    const auto stat = parse_process_stat(read_start("/proc/self/stat"));
    // A /proc that was mounted for another pid namespace knows us under another number: as good as none.
    return {pid, stat && stat->pid == pid ? stat->start_time : 0};
}

bool is_alive(const ProcessIdentity &process) {
    if (process.start_time != 0) {
        char path[64];
        std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(process.pid));
        if (const auto stat = parse_process_stat(read_start(path))) {
            if (stat->start_time != process.start_time) {
                return false;
            }
            // The first thread of a process may end before the others: it is a zombie, the process is not.
            return (stat->state != 'Z' && stat->state != 'X') || stat->threads > 1;
        }
    }
    // /proc may be hidden or out of reach for want of descriptors; the process may belong to another user.
    return kill(static_cast<pid_t>(process.pid), 0) == 0 || errno == EPERM;
}

} // namespace xcoll

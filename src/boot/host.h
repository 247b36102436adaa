// Which machine a rank is on. Two ranks share memory only if these are equal and a probe of the memory succeeds:
// never because of a host name or an environment variable.
#pragma once

#include <cstdint>

namespace xcoll {

// The kernel's boot id and the namespaces that decide whether processes can see each other and connect by Unix socket.
struct HostIdentity {
    uint64_t boot[2];
    uint64_t pid_namespace, net_namespace, user_namespace;
    uint32_t user;
    uint32_t unused; // keeps the bytes of the struct defined: it is compared and sent as a whole
    bool operator==(const HostIdentity &) const = default;
};
HostIdentity host_identity();

// A process, told apart from a later one with the same number by the time at which it started.
struct ProcessIdentity {
    int64_t pid;
    uint64_t start_time; // field 22 of /proc/<pid>/stat; 0 if /proc cannot be read
};
ProcessIdentity process_identity();
// False once the process has ended: gone, or a zombie that its parent has not collected, or another with its number.
// A few system calls; needs no descriptor and works however the job was started.
bool is_alive(const ProcessIdentity &process);

} // namespace xcoll

// Makes system calls fail, as the filter of a container does.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace filter {

// A system call, where one of its arguments has one of these bits or, without bits, this value; without both, always.
struct SystemCall {
    uint32_t number = 0, argument = 0, bits = 0, value = 0;
};

// From now on this call fails with EPERM in this thread and in what it starts. False where the system takes no filter.
inline bool forbid(const SystemCall &call) {
    // Of the 64 bits of an argument the lower ones, which stand first.
    const auto argument = static_cast<uint32_t>(offsetof(seccomp_data, args) + call.argument * sizeof(uint64_t));
    const uint16_t test = call.bits ? BPF_JSET : call.value ? BPF_JEQ : BPF_JGE;
    const uint32_t operand = call.bits ? call.bits : call.value;
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
        BPF_JUMP(static_cast<uint16_t>(BPF_JMP | BPF_K | test), operand, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(rules), rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace filter

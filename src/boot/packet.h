// Packets of a Unix SOCK_SEQPACKET socket, with descriptors attached: whole or not at all, and never blocking.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <vector>

#include "base/descriptor.h"

namespace xcoll {

constexpr size_t packet_descriptors_limit = 16; // the kernel takes 253, but a process may have no more than 64

// True once the packet is on its way; false with errno EAGAIN if it must wait.
inline bool send_packet(int socket, const void *head, size_t head_bytes, const void *body, size_t body_bytes,
                        const int *descriptors, size_t descriptor_count) {
    iovec parts[2] = {{const_cast<void *>(head), head_bytes}, {const_cast<void *>(body), body_bytes}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = body_bytes > 0 ? 2 : 1;
    alignas(cmsghdr) char control[CMSG_SPACE(packet_descriptors_limit * sizeof(int))] = {};
    if (descriptor_count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
        cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
        std::memcpy(CMSG_DATA(rights), descriptors, descriptor_count * sizeof(int));
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    // The kernel limits how many descriptors of a user may be on their way; it is a wait like any other.
    if (sent < 0 && errno == ETOOMANYREFS) {
        errno = EAGAIN;
    }
    return sent >= 0;
}

struct Packet {
    ssize_t bytes; // of data; 0: the other side has closed; -1: errno
    bool whole;    // neither data nor descriptors were cut off
    std::vector<Descriptor> descriptors;
};

inline Packet receive_packet(int socket, void *data, size_t capacity) {
    iovec part = {data, capacity};
    alignas(cmsghdr) char control[CMSG_SPACE(packet_descriptors_limit * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    Packet packet{};
    do {
        packet.bytes = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (packet.bytes < 0 && errno == EINTR);
    if (packet.bytes < 0) {
        return packet;
    }
    packet.whole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    for (cmsghdr *head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; ++i) {
            int number;
            std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof number);
            packet.descriptors.emplace_back(number);
        }
    }
    return packet;
}

} // namespace xcoll

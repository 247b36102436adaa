#include "boot/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace xcoll {

Link::Link(Descriptor socket, Channel::Role role, const Key &key) : socket_(std::move(socket)), channel_(role, key) {
    const int on = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void Link::step() {
    write();
    read();
    write();
}

void Link::read() {
    uint8_t bytes[16 * 1024];
    // A peer that sends without end is not listened to without end.
    for (int portions = 0; portions < 8 && !is_over(); ++portions) {
        const ssize_t got = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
        if (got > 0) {
            channel_.receive(bytes, static_cast<size_t>(got));
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            hung_up_ = true;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

void Link::write() {
    std::vector<uint8_t> &out = channel_.outgoing();
    size_t sent = 0;
    while (sent < out.size() && !hung_up_) {
        const ssize_t more = ::send(socket_.get(), out.data() + sent, out.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more >= 0) {
            sent += static_cast<size_t>(more);
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            break; // reading learns why, after the last that the other side has said
        }
    }
    out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(sent));
}

void Link::send(FrameKind kind, const void *body, size_t bytes) {
    channel_.send(kind, body, bytes);
    write();
}

} // namespace xcoll

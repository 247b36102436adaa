#include "boot/listener.h"

#include <netinet/in.h>

#include "base/error.h"
#include "boot/interfaces.h"

namespace xcoll {

namespace {

constexpr int waiting_connections = 4096; // what the kernel lets wait at most by default (net.core.somaxconn)

Descriptor tcp_socket(int family) {
    return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

bool bind_to(int socket, const Address &address, uint16_t port) {
    const int on = 1, off = 0;
    // A job may begin while connections of the one before it are still being forgotten.
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address.version == 6) {
        setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    const SocketAddress here = socket_address(address, port);
    return bind(socket, here.get(), here.bytes) == 0;
}

} // namespace

Listener::Listener(uint16_t port, const std::string &interface) {
    constexpr Address any6 = {6, {}}, any4 = {4, {}};
    const Address wanted = interface.empty() ? any6 : own_addresses(interface).front();
    socket_ = tcp_socket(wanted.version == 6 ? AF_INET6 : AF_INET);
    bool bound = socket_ && bind_to(socket_.get(), wanted, port);
    // A kernel without IPv6, or one in which it is switched off.
    if (!bound && interface.empty() && (!socket_ || errno != EADDRINUSE)) {
        socket_ = tcp_socket(AF_INET);
        bound = socket_ && bind_to(socket_.get(), any4, port);
    }
    if (!socket_) {
        fail_system("socket(TCP)");
    }
    if (!bound && errno == EADDRINUSE) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "port %u of this machine is taken by another program: name another one in XCOLL_ROOT, the same on all "
             "ranks",
             unsigned{port});
    }
    if (!bound) {
        fail_system("bind(TCP)");
    }
    if (listen(socket_.get(), waiting_connections) != 0) {
        fail_system("listen(TCP)");
    }
    port_ = local_port(socket_.get());
}

} // namespace xcoll

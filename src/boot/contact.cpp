#include "boot/contact.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

#include "base/error.h"

namespace xcoll {

bool Address::is_loopback() const {
    constexpr uint8_t first_of_loopback = 127;
    constexpr uint8_t loopback6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return version == 4 ? bytes[0] == first_of_loopback : std::memcmp(bytes, loopback6, sizeof bytes) == 0;
}

Contact Contact::at(uint16_t port, const std::vector<Address> &addresses) {
    Contact contact{};
    contact.port[0] = static_cast<uint8_t>(port >> 8);
    contact.port[1] = static_cast<uint8_t>(port);
    for (const Address &address : addresses) {
        const Address *end = contact.addresses + contact.count;
        if (contact.count < most_addresses &&
            std::find(static_cast<const Address *>(contact.addresses), end, address) == end) {
            contact.addresses[contact.count++] = address;
        }
    }
    return contact;
}

bool Contact::is_valid() const {
    return port_number() != 0 && count >= 1 && count <= most_addresses &&
           std::all_of(addresses, addresses + count,
                       [](const Address &address) { return address.version == 4 || address.version == 6; });
}

SocketAddress socket_address(const Address &address, uint16_t port) {
    SocketAddress out{};
    if (address.version == 4) {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        std::memcpy(&in.sin_addr, address.bytes, sizeof in.sin_addr);
        std::memcpy(&out.storage, &in, out.bytes = sizeof in);
    } else {
        sockaddr_in6 in{};
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(port);
        std::memcpy(&in.sin6_addr, address.bytes, sizeof in.sin6_addr);
        std::memcpy(&out.storage, &in, out.bytes = sizeof in);
    }
    return out;
}

Address address_of(const sockaddr *address) {
    Address out{};
    if (address->sa_family == AF_INET) {
        out.version = 4;
        std::memcpy(out.bytes, &reinterpret_cast<const sockaddr_in *>(address)->sin_addr, sizeof(in_addr));
        return out;
    }
    const in6_addr &six = reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr;
    constexpr size_t mapped_prefix = 12;
    if (IN6_IS_ADDR_V4MAPPED(&six)) {
        out.version = 4;
        std::memcpy(out.bytes, six.s6_addr + mapped_prefix, sizeof(in_addr));
    } else {
        out.version = 6;
        std::memcpy(out.bytes, &six, sizeof six);
    }
    return out;
}

namespace {
SocketAddress end_of(int socket, int (*which)(int, sockaddr *, socklen_t *)) {
    SocketAddress end{};
    end.bytes = sizeof end.storage;
    if (which(socket, reinterpret_cast<sockaddr *>(&end.storage), &end.bytes) != 0) {
        end.storage.ss_family = AF_INET; // the connection is gone: no address
    }
    return end;
}
} // namespace

Address local_address(int socket) {
    return address_of(end_of(socket, getsockname).get());
}

Address remote_address(int socket) {
    return address_of(end_of(socket, getpeername).get());
}

uint16_t local_port(int socket) {
    const SocketAddress end = end_of(socket, getsockname);
    const auto *four = reinterpret_cast<const sockaddr_in *>(end.get());
    const auto *six = reinterpret_cast<const sockaddr_in6 *>(end.get());
    return ntohs(end.storage.ss_family == AF_INET ? four->sin_port : six->sin6_port);
}

std::string text_of(const Address &address) {
    char text[INET6_ADDRSTRLEN];
    const int family = address.version == 4 ? AF_INET : AF_INET6;
    return inet_ntop(family, address.bytes, text, sizeof text) != nullptr ? text : "?";
}

std::string text_of(const Address &address, uint16_t port) {
    return format(address.version == 4 ? "%s:%u" : "[%s]:%u", text_of(address).c_str(), unsigned{port});
}

} // namespace xcoll

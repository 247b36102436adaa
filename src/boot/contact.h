// Where a rank can be reached over TCP: a port, at up to four addresses, the most promising one first. Of bytes alone,
// because it travels between machines and lies in unique ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace xcoll {

struct Address {
    uint8_t version;   // of the internet protocol: 4 or 6
    uint8_t bytes[16]; // version 4 uses the first four
    bool operator==(const Address &) const = default;
    bool is_loopback() const;
};

struct Contact {
    static constexpr size_t most_addresses = 4;
    uint8_t port[2]; // the upper byte first
    uint8_t count;
    Address addresses[most_addresses];

    // `addresses` beyond the fourth, and those said twice, are left out.
    static Contact at(uint16_t port, const std::vector<Address> &addresses);
    // What came from outside may be anything.
    bool is_valid() const;
    uint16_t port_number() const {
        return static_cast<uint16_t>(port[0] << 8 | port[1]);
    }
};
static_assert(sizeof(Contact) == 71 && alignof(Contact) == 1);

// As the system calls want and give it. An IPv4 address mapped into IPv6 counts as what it is.
struct SocketAddress {
    sockaddr_storage storage;
    socklen_t bytes;
    const sockaddr *get() const {
        return reinterpret_cast<const sockaddr *>(&storage);
    }
};
SocketAddress socket_address(const Address &address, uint16_t port);
Address address_of(const sockaddr *address);
// Of the two ends of a connected socket.
Address local_address(int socket);
Address remote_address(int socket);
uint16_t local_port(int socket);

// "10.0.0.1", "10.0.0.1:4711" and "[::1]:4711".
std::string text_of(const Address &address);
std::string text_of(const Address &address, uint16_t port);

} // namespace xcoll

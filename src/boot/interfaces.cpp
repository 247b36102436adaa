#include "boot/interfaces.h"

#include <algorithm>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>
#include <optional>

#include "base/error.h"
#include "boot/packet.h"

namespace xcoll {

namespace {

struct Interface {
    std::string name;
    Address address;
    bool is_up, is_local; // is_local: means something on its own link alone
};

std::vector<Interface> interfaces() {
    ifaddrs *first = nullptr;
    if (getifaddrs(&first) != 0) {
        fail_system("getifaddrs");
    }
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(first, freeifaddrs);
    std::vector<Interface> all;
    for (const ifaddrs *entry = first; entry != nullptr; entry = entry->ifa_next) {
        const sockaddr *address = entry->ifa_addr;
        if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) {
            continue;
        }
        const bool is_link_local = address->sa_family == AF_INET6 &&
                                   IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr);
        all.push_back({entry->ifa_name, address_of(address), (entry->ifa_flags & IFF_UP) != 0, is_link_local});
    }
    // IPv4 first: where both work, it is the one that is set up with more care.
    std::stable_sort(all.begin(), all.end(), [](const Interface &one, const Interface &other) {
        return one.address.version < other.address.version;
    });
    return all;
}

// The address from which a packet to far away would leave. Connecting a datagram socket sends nothing.
std::optional<Address> address_of_default_route() {
    constexpr Address elsewhere = {4, {192, 0, 2, 1}}; // of TEST-NET-1, which no machine has (RFC 5737)
    constexpr uint16_t discard = 9;
    const Descriptor probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const SocketAddress there = socket_address(elsewhere, discard);
    if (!probe || connect(probe.get(), there.get(), there.bytes) != 0) {
        return std::nullopt;
    }
    return local_address(probe.get());
}

[[noreturn]] void fail_no_such(const std::string &chosen, const std::vector<Interface> &all) {
    std::string known;
    for (const Interface &one : all) {
        known += format("%s%s %s", known.empty() ? "" : ", ", one.name.c_str(), text_of(one.address).c_str());
    }
    fail(XCOLL_ERR_CONFIG,
         "XCOLL_INTERFACE=%s: no interface of this machine that is up has this name or address. It has: %s",
         chosen.c_str(), known.c_str());
}

} // namespace

std::vector<Address> own_addresses(const std::string &chosen) {
    const std::vector<Interface> all = interfaces();
    std::vector<Address> addresses;
    if (!chosen.empty()) {
        for (const Interface &one : all) {
            if (one.is_up && !one.is_local && (one.name == chosen || text_of(one.address) == chosen)) {
                addresses.push_back(one.address);
            }
        }
        if (addresses.empty()) {
            fail_no_such(chosen, all);
        }
        return addresses;
    }
    if (const auto first = address_of_default_route()) {
        addresses.push_back(*first);
    }
    for (const Interface &one : all) {
        if (one.is_up && !one.is_local && !one.address.is_loopback()) {
            addresses.push_back(one.address);
        }
    }
    if (addresses.empty()) {
        addresses.push_back({4, {127, 0, 0, 1}});
    }
    return addresses;
}

std::string interface_with(const Address &address) {
    const std::vector<Interface> all = interfaces();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Interface &one) { return one.address == address; });
    return found != all.end() ? found->name : "?";
}

} // namespace xcoll

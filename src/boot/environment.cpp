#include "boot/environment.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <netdb.h>

#include "base/error.h"
#include "boot/launcher_protocol.h"
#include "boot/network.h"

namespace xcoll {

std::optional<int> environment_number(const char *name, const char *who) {
    const char *text = std::getenv(name);
    if (text == nullptr) {
        return std::nullopt;
    }
    int value;
    const char *end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < 0) {
        fail(XCOLL_ERR_BOOTSTRAP, "%s=%s: expected a number from 0 to %d; %s", name, text,
             std::numeric_limits<int>::max(), who);
    }
    return value;
}

namespace {

// What the environment says about this rank and its job.
struct Said {
    int rank, size;
    std::string host, port, place;
};

std::optional<Said> said_for_torch() {
    const char *address = std::getenv("MASTER_ADDR");
    if (address == nullptr || std::getenv("RANK") == nullptr || std::getenv("WORLD_SIZE") == nullptr ||
        std::getenv("MASTER_PORT") == nullptr) {
        return std::nullopt; // these names are too common to complain about some of them
    }
    constexpr const char *who = "torchrun sets it";
    const int port = *environment_number("MASTER_PORT", who);
    constexpr int highest = 65534;
    if (port < 1 || port > highest) {
        fail(XCOLL_ERR_BOOTSTRAP, "MASTER_PORT=%d: expected 1 to %d, as xcoll meets at the port after it", port,
             highest);
    }
    // The port itself belongs to the store of PyTorch.
    return Said{*environment_number("RANK", who), *environment_number("WORLD_SIZE", who), address,
                std::to_string(port + 1), "MASTER_ADDR"};
}

std::optional<Said> said_for_xcoll(const std::string &root) {
    if (root.empty()) {
        return std::nullopt;
    }
    constexpr const char *who = "it goes with XCOLL_ROOT";
    auto rank = environment_number(launcher::rank_variable, who),
         size = environment_number(launcher::size_variable, who);
    const bool both_missing = !rank && !size;
    if (both_missing) {
        rank = environment_number("RANK", who);
        size = environment_number("WORLD_SIZE", who);
    }
    if (!rank || !size) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "XCOLL_ROOT=%s is set, but not %s: expected XCOLL_RANK and XCOLL_SIZE, or RANK and WORLD_SIZE, with it",
             root.c_str(),
             both_missing ? "which rank this is of how many"
             : rank       ? "XCOLL_SIZE"
                          : "XCOLL_RANK");
    }
    const size_t colon = root.rfind(':');
    std::string host = root.substr(0, colon);
    if (host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    return Said{*rank, *size, host, root.substr(colon + 1), "XCOLL_ROOT"};
}

// The numbers of a rank, and nothing that tells where it meets the others: each would be a job of its own. With those
// that nobody sets by hand they are a rank's of xcollrun, whose child is to be alone.
void refuse_numbers_alone() {
    if (std::getenv(launcher::local_size_variable) != nullptr) {
        return;
    }
    constexpr const char *who = "it goes with XCOLL_ROOT";
    const auto rank = environment_number(launcher::rank_variable, who),
               size = environment_number(launcher::size_variable, who);
    if (rank.value_or(0) == 0 && size.value_or(1) == 1) {
        return;
    }
    const auto shown = [](std::optional<int> number) { return number ? std::to_string(*number) : "(unset)"; };
    fail(XCOLL_ERR_BOOTSTRAP,
         "%s=%s and %s=%s tell of a job of several ranks, but not where they meet: expected XCOLL_ROOT, the host and "
         "a port of rank 0, with them, or a start by xcollrun; unset both for a job of this process alone",
         launcher::rank_variable, shown(rank).c_str(), launcher::size_variable, shown(size).c_str());
}

Contact resolve(const Said &said) {
    addrinfo hints{}, *first = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    const int error = getaddrinfo(said.host.c_str(), said.port.c_str(), &hints, &first);
    if (error != 0) {
        fail(XCOLL_ERR_BOOTSTRAP, "%s: the host %s of the root is not known here: %s", said.place.c_str(),
             said.host.c_str(), gai_strerror(error));
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> owner(first, freeaddrinfo);
    std::vector<Address> addresses;
    for (const addrinfo *one = first; one != nullptr; one = one->ai_next) {
        if (one->ai_family == AF_INET || one->ai_family == AF_INET6) {
            addresses.push_back(address_of(one->ai_addr));
        }
    }
    return Contact::at(static_cast<uint16_t>(std::stoi(said.port)), addresses);
}

Key key_of(const Settings &settings, const Said &said, Cryptos &cryptos) {
    if (settings.secret.empty()) {
        fail(
            XCOLL_ERR_BOOTSTRAP,
            "ranks that meet at %s need a secret by which they know each other: set XCOLL_SECRET to the same random "
            "text on all of them, such as that of `openssl rand -hex 16`; or to none on a network where nobody else is",
            said.place.c_str());
    }
    const Crypto &crypto = cryptos.get(settings);
    const xcoll_bytes text = {settings.secret.data(), settings.secret.size()};
    const Secret<Hash> bits{crypto.hash({&text, 1})};
    return Key(crypto, bits);
}

} // namespace

std::unique_ptr<Bootstrap> boot_environment(Cryptos &cryptos, const Settings &settings) {
    auto said = said_for_xcoll(settings.root);
    if (!said) {
        said = said_for_torch();
    }
    if (!said) {
        refuse_numbers_alone();
        return nullptr;
    }
    if (said->rank >= said->size) {
        fail(XCOLL_ERR_BOOTSTRAP, "the environment says that this is rank %d of %d: expected 0 <= rank < size",
             said->rank, said->size);
    }
    if (said->size == 1) {
        return boot_alone();
    }
    // The root listens wherever it can, as its name may stand for something else on its own machine; and before it does
    // anything that takes its time, as whoever calls too early calls again much later.
    const bool is_root = said->rank == 0;
    std::vector<Listener> listeners;
    if (is_root) {
        listeners.emplace_back(static_cast<uint16_t>(std::stoi(said->port)), settings.interface);
    }
    Invitation invitation(said->rank, said->size, key_of(settings, *said, cryptos));
    invitation.listeners = std::move(listeners);
    invitation.is_root = is_root;
    invitation.refused = Caller::Refused::comes_later;
    invitation.interface = settings.interface;
    invitation.timeout_ms = settings.timeout_ms;
    invitation.advice = "All ranks need the same number of ranks, the same secret (XCOLL_SECRET) and the same root "
                        "(XCOLL_ROOT, or MASTER_ADDR and the port after MASTER_PORT), which is rank 0";
    invitation.hosts.push_back(is_root ? Contact{} : resolve(*said));
    return boot_meeting(std::move(invitation), said->place);
}

} // namespace xcoll

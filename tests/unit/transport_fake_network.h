// A plug-in inside the test: a network that delivers in any order, keeps long messages with their senders until they
// are fetched, and breaks when it is told to. Each endpoint may be used by another thread; one lock is around it all.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "plugins/plugin.h"

namespace fake {

struct Endpoint;

// One for each test; endpoints join the one that is current.
struct Fabric {
    explicit Fabric(uint32_t seed = 1) : random(seed) {
        current() = this;
    }
    static Fabric *&current() {
        static Fabric *fabric = nullptr;
        return fabric;
    }
    size_t eager_bytes = 1000;
    bool reorders = true;
    std::mutex mutex;
    std::mt19937 random;
    std::vector<Endpoint *> endpoints;
    size_t fetched = 0, dropped = 0; // long messages
};

struct Message {
    size_t source;
    std::vector<char> header, data; // data: of a short one
    const void *remote = nullptr;   // of a long one
    size_t bytes = 0;
    void *token = nullptr;
};

struct Endpoint {
    Fabric *fabric;
    const xcoll_network_events *events;
    void *context;
    size_t number;
    std::vector<size_t> peers; // their numbers
    std::deque<Message> inbox;
    std::deque<std::function<void()>> later; // reports
    std::vector<bool> lost;

    size_t rank_of(size_t number_of_peer) const {
        for (size_t r = 0; r < peers.size(); ++r) {
            if (peers[r] == number_of_peer) {
                return r;
            }
        }
        return 0;
    }
    void report_done(void *token, xcoll_result_t result) {
        if (token) {
            later.push_back([this, token, result] { events->done(context, token, result); });
        }
    }
    // The connection to this endpoint is gone.
    void lose(Endpoint &other, xcoll_result_t result) {
        const size_t rank = rank_of(other.number);
        if (lost[rank]) {
            return;
        }
        lost[rank] = true;
        later.push_back([this, rank, result] { events->lost(context, rank, result, "it was unplugged"); });
        tear(other, result);
    }
    // The messages that are under way to this endpoint are gone, the connection may follow.
    void tear(Endpoint &other, xcoll_result_t result) {
        for (Message &message : other.inbox) {
            if (message.source == number) {
                report_done(std::exchange(message.token, nullptr), result);
                message.remote = nullptr;
            }
        }
    }
};

inline Endpoint &of(void *network) {
    return *static_cast<Endpoint *>(network);
}

inline xcoll_result_t open(const xcoll_network_events *events, void *context, void **network, char *, size_t) {
    Fabric *fabric = Fabric::current();
    const std::lock_guard lock(fabric->mutex);
    auto *endpoint = new Endpoint{fabric, events, context, fabric->endpoints.size(), {}, {}, {}, {}};
    fabric->endpoints.push_back(endpoint);
    *network = endpoint;
    return XCOLL_SUCCESS;
}
inline xcoll_result_t address(void *network, const void **bytes, size_t *length) {
    *bytes = &of(network).number;
    *length = sizeof of(network).number;
    return XCOLL_SUCCESS;
}
inline xcoll_result_t peers(void *network, size_t count, const void *const *addresses, const size_t *) {
    of(network).peers.resize(count);
    of(network).lost.resize(count);
    for (size_t i = 0; i < count; ++i) {
        std::memcpy(&of(network).peers[i], addresses[i], sizeof(size_t));
    }
    return XCOLL_SUCCESS;
}
inline xcoll_result_t reach(void *network, size_t peer) {
    return of(network).lost[peer] ? XCOLL_ERR_TRANSPORT : XCOLL_SUCCESS;
}
inline xcoll_result_t send(void *network, size_t peer, const void *header, size_t header_bytes, const void *data,
                           size_t bytes, void *token) {
    Endpoint &self = of(network);
    const std::lock_guard lock(self.fabric->mutex);
    if (self.lost[peer]) {
        return XCOLL_ERR_TRANSPORT;
    }
    Message message;
    message.source = self.number;
    message.header.assign(static_cast<const char *>(header), static_cast<const char *>(header) + header_bytes);
    message.bytes = bytes;
    const bool eager = bytes <= self.fabric->eager_bytes;
    if (eager) {
        message.data.assign(static_cast<const char *>(data), static_cast<const char *>(data) + bytes);
    } else {
        message.remote = data;
        message.token = token;
    }
    std::deque<Message> &inbox = self.fabric->endpoints[self.peers[peer]]->inbox;
    const size_t place = self.fabric->reorders ? self.fabric->random() % (inbox.size() + 1) : inbox.size();
    inbox.insert(inbox.begin() + static_cast<ptrdiff_t>(place), std::move(message));
    return eager ? XCOLL_SUCCESS : XCOLL_IN_PROGRESS;
}
inline xcoll_result_t fetch(void *network, void *handle, void *to, size_t bytes, void *token) {
    Endpoint &self = of(network);
    const std::lock_guard lock(self.fabric->mutex);
    auto *message = static_cast<Message *>(handle);
    Endpoint &source = *self.fabric->endpoints[message->source];
    const xcoll_result_t result = message->remote ? XCOLL_SUCCESS : XCOLL_ERR_PEER_DEAD;
    if (message->remote) {
        std::memcpy(to, message->remote, bytes);
        source.report_done(message->token, XCOLL_SUCCESS);
    }
    self.report_done(token, result);
    ++self.fabric->fetched;
    delete message;
    return XCOLL_IN_PROGRESS;
}
inline void drop(void *network, void *handle) {
    const std::lock_guard lock(of(network).fabric->mutex);
    auto *message = static_cast<Message *>(handle);
    of(network).fabric->endpoints[message->source]->report_done(message->token, XCOLL_SUCCESS);
    ++of(network).fabric->dropped;
    delete message;
}
inline int32_t progress(void *network) {
    Endpoint &self = of(network);
    std::unique_lock lock(self.fabric->mutex);
    if (!self.later.empty()) {
        const auto report = self.later.front();
        self.later.pop_front();
        lock.unlock(); // the library calls back
        report();
        return 1;
    }
    if (self.inbox.empty()) {
        return 0;
    }
    Message message = std::move(self.inbox.front());
    self.inbox.pop_front();
    lock.unlock();
    if (message.token || message.remote) {
        auto *kept = new Message(std::move(message));
        if (!self.events->arrived(self.context, kept->header.data(), kept->header.size(), nullptr, kept->bytes, kept)) {
            drop(network, kept);
        }
    } else {
        self.events->arrived(self.context, message.header.data(), message.header.size(), message.data.data(),
                             message.data.size(), nullptr);
    }
    return 1;
}
inline xcoll_result_t arm(void *, int *) {
    return XCOLL_ERR_UNSUPPORTED;
}
inline void hang_up(void *network, size_t peer) {
    const std::lock_guard lock(of(network).fabric->mutex);
    of(network).lose(*of(network).fabric->endpoints[of(network).peers[peer]], XCOLL_ERR_TRANSPORT);
}
inline void close(void *network) {
    const std::lock_guard lock(of(network).fabric->mutex);
    of(network).inbox.clear();
    of(network).later.clear();
}

// Everybody's connection to this endpoint breaks, as when its process ends.
inline void kill(Fabric &fabric, size_t number) {
    const std::lock_guard lock(fabric.mutex);
    for (Endpoint *endpoint : fabric.endpoints) {
        if (endpoint->number != number) {
            endpoint->lose(*fabric.endpoints[number], XCOLL_ERR_PEER_DEAD);
        }
    }
}

// What is under way to this endpoint is lost, and it is not said why.
inline void tear(Fabric &fabric, size_t number, xcoll_result_t result = XCOLL_ERR_TRANSPORT) {
    const std::lock_guard lock(fabric.mutex);
    for (Endpoint *endpoint : fabric.endpoints) {
        endpoint->tear(*fabric.endpoints[number], result);
    }
}

inline constexpr xcoll_network_plugin plugin{{XCOLL_PLUGIN_ABI, XCOLL_PLUGIN_VERSION},
                                             "a fake network",
                                             open,
                                             address,
                                             peers,
                                             reach,
                                             send,
                                             fetch,
                                             drop,
                                             progress,
                                             arm,
                                             hang_up,
                                             close};

} // namespace fake

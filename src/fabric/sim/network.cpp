#include "fabric/sim/network.h"

#include <algorithm>
#include <cstring>

#include "fabric/disagreement.h"
#include "fabric/sim/network_endpoint.h"

namespace xcoll::sim {

Network::Network(Simulator &simulator, int ranks, bool by_time, const LinkModel &model)
    : simulator_(simulator), by_time_(by_time), model_(model), inboxes_(static_cast<size_t>(ranks)),
      lives_(static_cast<size_t>(ranks)), sender_free_(static_cast<size_t>(ranks)),
      receiver_free_(static_cast<size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
        endpoints_.push_back(std::make_unique<Endpoint>(*this, rank));
    }
    simulator.add_source([this](Random &random) { return by_time_ ? arrive_next() : move_any(random); });
}

Network::~Network() = default;

Transport &Network::transport(int rank) {
    return endpoint(rank);
}

// ------------------------------------------------------------------------------------------------ operations

Network::Begun *Network::find(int rank, uint64_t operation) {
    Life &life = lives_[static_cast<size_t>(rank)];
    const auto entry = life.find(operation);
    return entry == life.end() ? nullptr : &entry->second;
}

void Network::begin(int rank, const Envelope &envelope) {
    Life &life = lives_[static_cast<size_t>(rank)];
    if (!life.empty() && envelope.operation <= life.rbegin()->first) {
        fail(XCOLL_ERR_INTERNAL, "rank %d began operation %llu after operation %llu", rank,
             static_cast<unsigned long long>(envelope.operation),
             static_cast<unsigned long long>(life.rbegin()->first));
    }
    life[envelope.operation] = {.call = envelope.call};
}

bool Network::is_over(int rank, uint64_t operation) {
    const Begun *begun = find(rank, operation);
    return begun && begun->over;
}

// Something of another call has come for an operation that goes on here. It is dropped, so that its sender does not
// wait for somebody who will never ask for it.
bool Network::refuse(const Key &key, Channel &channel) {
    const Begun *begun = find(key.to, key.operation);
    if (!begun || channel.sent.empty() || channel.sent.front().envelope.call == begun->call) {
        return false;
    }
    meet_offender(key.to, key.operation, key.from, channel.sent.front().envelope.call);
    drop(key, channel);
    return true;
}

// What does the peer call?
bool Network::ask(const Key &key, Channel &channel) {
    const Begun *peer = find(key.from, key.operation);
    if (!peer || channel.wanted.empty() || channel.wanted.front().envelope.call == peer->call) {
        return false;
    }
    if (peer->over) {
        meet_offender(key.to, key.operation, key.from, peer->call);
        return true;
    }
    const bool news = peer->offender < 0;
    meet_offender(key.from, key.operation, key.to, channel.wanted.front().envelope.call);
    return news;
}

void Network::meet_offender(int rank, uint64_t operation, int offender, const Fingerprint &call) {
    Begun *begun = find(rank, operation);
    if (begun->offender < 0) {
        begun->offender = offender;
        begun->other = call;
    }
    fail_receives(rank, operation, *begun);
}

void Network::fail_receives(int rank, uint64_t operation, const Begun &begun) {
    for (auto &[from, channel] : inbox(rank)) {
        if (from.second != operation) {
            continue;
        }
        for (const Wanted &wanted : channel.wanted) {
            endpoint(rank).never_comes(wanted.slot, begun.offender, begun.other);
        }
        channel.wanted.clear();
    }
}

// Throws if somebody has called something else, also if nothing was expected from it.
void Network::check_end(int rank, const Envelope &envelope) {
    for (auto &[from, channel] : inbox(rank)) {
        if (from.second == envelope.operation) {
            refuse({rank, from.first, from.second}, channel);
        }
    }
    const Begun *begun = find(rank, envelope.operation);
    if (begun && begun->offender >= 0) {
        throw mismatch(envelope.operation, rank, envelope.call, begun->offender, begun->other);
    }
}

void Network::end(int rank, uint64_t operation) {
    if (Begun *begun = find(rank, operation)) {
        begun->over = true;
    }
    for (int peer = 0; peer < size(); ++peer) {
        const auto entry = inbox(rank).find({peer, operation});
        if (entry != inbox(rank).end()) {
            drop({rank, peer, operation}, entry->second);
            inbox(rank).erase(entry);
        }
    }
}

// The senders get their buffers back.
void Network::drop(const Key &key, Channel &channel) {
    for (const Sent &message : channel.sent) {
        if (!message.copied) {
            endpoint(key.from).completed(message.slot);
        }
    }
    channel.sent.clear();
}

void Network::leave(int rank, const Envelope &envelope) {
    end(rank, envelope.operation);
    for (int peer = 0; peer < size(); ++peer) {
        if (is_over(peer, envelope.operation)) {
            continue;
        }
        Channel &channel = inbox(peer)[{rank, envelope.operation}];
        const auto taken_back =
            std::find_if(channel.sent.begin(), channel.sent.end(), [](const Sent &message) { return !message.copied; });
        channel.sent.erase(taken_back, channel.sent.end());
        channel.sent.push_back({.slot = 0,
                                .envelope = envelope,
                                .data = nullptr,
                                .bytes = 0,
                                .eager = true,
                                .copied = true,
                                .left = true,
                                .arrives = simulator_.now() + model_.latency_ns,
                                .own = nullptr});
        if (by_time_) {
            plan({peer, rank, envelope.operation}, channel);
        }
    }
}

// ------------------------------------------------------------------------------------------------ both ways

void Network::send(const Key &key, Sent message) {
    ++messages_;
    bytes_ += message.bytes;
    if (is_over(key.to, key.operation)) {
        endpoint(key.from).completed(message.slot);
        return;
    }
    Channel &channel = inbox(key.to)[{key.from, key.operation}];
    message.eager = by_time_ ? message.bytes <= model_.eager_bytes : simulator_.random().percent(50);
    channel.sent.push_back(std::move(message));
    if (by_time_) {
        Sent &last = channel.sent.back();
        if (last.eager) {
            copy(key, last);
            last.arrives = travel(key, last.bytes, true);
        }
        plan(key, channel);
    }
}

void Network::receive(const Key &key, const Wanted &wanted) {
    if (!by_time_ && wanted.data) {
        constexpr int scribble = 0xa5;
        std::memset(wanted.data, scribble, wanted.bytes);
    }
    Channel &channel = inbox(key.to)[{key.from, key.operation}];
    channel.wanted.push_back(wanted);
    const Begun *begun = find(key.to, key.operation);
    if (begun && begun->offender >= 0) {
        fail_receives(key.to, key.operation, *begun);
    }
    if (by_time_) {
        plan(key, channel);
    }
}

// The sender may have its buffer back.
void Network::copy(const Key &key, Sent &message) {
    if (message.data && message.bytes > 0) {
        message.own = std::make_unique<unsigned char[]>(message.bytes);
        std::memcpy(message.own.get(), message.data, message.bytes);
        message.data = message.own.get();
    }
    message.copied = true;
    endpoint(key.from).completed(message.slot);
}

void Network::deliver(const Key &key, Channel &channel) {
    const Wanted wanted = channel.wanted.front();
    channel.wanted.pop_front();
    Sent &message = channel.sent.front();
    if (message.left) {
        endpoint(key.to).never_comes(wanted.slot, key.from, message.envelope.call);
        message.due = false; // it is there for all further receives, too
    } else {
        if (message.envelope.call != wanted.envelope.call || message.bytes != wanted.bytes) {
            endpoint(key.to).came_instead(wanted.slot, message.envelope.call, message.bytes);
        } else if (wanted.data && message.data && message.bytes > 0) {
            std::memcpy(wanted.data, message.data, message.bytes);
        }
        if (!message.copied) {
            endpoint(key.from).completed(message.slot);
        }
        channel.sent.pop_front();
    }
    endpoint(key.to).completed(wanted.slot);
    if (channel.sent.empty() && channel.wanted.empty()) {
        inbox(key.to).erase({key.from, key.operation});
    } else if (by_time_) {
        plan(key, channel);
    }
}

void Network::forget(int rank) {
    for (auto &entry : inbox(rank)) {
        entry.second.wanted.clear();
    }
    for (Inbox &box : inboxes_) {
        for (auto entry = box.lower_bound({rank, 0}); entry != box.end() && entry->first.first == rank; ++entry) {
            entry->second.sent.clear();
        }
    }
}

// ------------------------------------------------------------------------------------------- by the schedule

bool Network::move_any(Random &random) {
    const auto first = static_cast<int>(random.below(endpoints_.size()));
    for (int i = 0; i < size(); ++i) {
        if (move_to((first + i) % size(), random)) {
            return true;
        }
    }
    return false;
}

bool Network::move_to(int rank, Random &random) {
    Inbox &box = inbox(rank);
    if (box.empty()) {
        return false;
    }
    auto entry = box.lower_bound({static_cast<int>(random.below(endpoints_.size())), random.next()});
    for (size_t i = 0; i < box.size(); ++i, ++entry) {
        entry = entry == box.end() ? box.begin() : entry;
        if (move({rank, entry->first.first, entry->first.second}, entry->second, random)) {
            return true;
        }
    }
    return false;
}

bool Network::move(const Key &key, Channel &channel, Random &random) {
    if (refuse(key, channel) || (channel.sent.empty() && ask(key, channel))) {
        return true;
    }
    const auto waiting = std::find_if(channel.sent.begin(), channel.sent.end(),
                                      [](const Sent &message) { return message.eager && !message.copied; });
    const bool can_deliver = !channel.sent.empty() && !channel.wanted.empty();
    if (waiting != channel.sent.end() && (!can_deliver || random.percent(50))) {
        copy(key, *waiting);
        return true;
    }
    if (can_deliver) {
        deliver(key, channel);
    }
    return can_deliver;
}

// ----------------------------------------------------------------------------------------------- by the model

// When a message that sets off now is completely there.
double Network::travel(const Key &key, size_t bytes, bool eager) {
    double &sender = sender_free_[static_cast<size_t>(key.from)];
    double &receiver = receiver_free_[static_cast<size_t>(key.to)];
    const double occupied = model_.gap_ns + static_cast<double>(bytes) * model_.per_byte_ns;
    const double asked = eager ? simulator_.now() : simulator_.now() + model_.latency_ns;
    const double begin = std::max(asked, sender);
    sender = begin + occupied;
    receiver = std::max(begin + model_.latency_ns, receiver) + occupied;
    return receiver;
}

// The next message of a channel arrives when its receiver waits for it and its time has come.
void Network::plan(const Key &key, Channel &channel) {
    if (channel.sent.empty() || channel.wanted.empty() || channel.sent.front().due) {
        return;
    }
    Sent &next = channel.sent.front();
    if (!next.eager) {
        next.arrives = travel(key, next.bytes, false);
    }
    next.due = true;
    arrivals_.push({std::max(next.arrives, simulator_.now()), arrivals_planned_++, key});
}

bool Network::arrive_next() {
    while (!arrivals_.empty()) {
        const Arrival arrival = arrivals_.top();
        arrivals_.pop();
        const auto entry = inbox(arrival.key.to).find({arrival.key.from, arrival.key.operation});
        // It may have been cancelled since.
        if (entry != inbox(arrival.key.to).end() && !entry->second.sent.empty() && entry->second.sent.front().due &&
            !entry->second.wanted.empty()) {
            simulator_.advance_to(arrival.time);
            deliver(arrival.key, entry->second);
            return true;
        }
    }
    return false;
}

} // namespace xcoll::sim

#include "fabric/mailbox.h"

#include <algorithm>
#include <utility>

#include "fabric/disagreement.h"

namespace xcoll {

namespace {

unsigned long long number(const Envelope &envelope) {
    return static_cast<unsigned long long>(envelope.operation);
}

// Counts are then compared by nobody but the two ends.
bool knows_own_counts(const Fingerprint &call) {
    const Kind kind = FingerprintParts::of(call).kind;
    return traits(kind).own_counts || kind == Kind::group;
}

Failure chose_otherwise(const Envelope &envelope, int sender, size_t sent, int rank, size_t expected) {
    return failure_at(sender, XCOLL_ERR_MISMATCH,
                      "operation %llu, %s: rank %d expected a message of %zu bytes from rank %d and got one of %zu. "
                      "The ranks have chosen different algorithms: settings such as XCOLL_ALLREDUCE must be the same "
                      "on all",
                      number(envelope), describe(envelope.call).c_str(), rank, expected, sender, sent);
}

} // namespace

// ------------------------------------------------------------------------------------------------- operations

void Mailbox::begin(const Envelope &envelope) {
    if (!is_to_come(envelope.operation)) {
        fail(XCOLL_ERR_INTERNAL, "rank %d began operation %llu after operation %llu", rank_, number(envelope),
             static_cast<unsigned long long>(newest_));
    }
    alive_.push_back({envelope, {}});
    std::erase(planned_, envelope.operation);
    newest_ = std::max(newest_, envelope.operation);
}

void Mailbox::plan(uint64_t operation) {
    planned_.push_back(operation);
    newest_ = std::max(newest_, operation);
}

void Mailbox::cancel_plan(uint64_t operation) {
    std::erase(planned_, operation);
    drop_parcels(operation);
}

bool Mailbox::is_planned(uint64_t operation) const {
    return std::find(planned_.begin(), planned_.end(), operation) != planned_.end();
}

bool Mailbox::is_to_come(uint64_t operation) const {
    return operation > newest_ || is_planned(operation);
}

Mailbox::Alive *Mailbox::find_alive(uint64_t operation) {
    const auto found = std::find_if(alive_.begin(), alive_.end(),
                                    [=](const Alive &alive) { return alive.envelope.operation == operation; });
    return found != alive_.end() ? &*found : nullptr;
}

bool Mailbox::is_over(uint64_t operation) const {
    return !is_to_come(operation) && std::none_of(alive_.begin(), alive_.end(), [=](const Alive &alive) {
        return alive.envelope.operation == operation;
    });
}

void Mailbox::end(const Envelope &envelope) {
    if (const Alive *alive = find_alive(envelope.operation); alive && alive->failure) {
        throw *alive->failure;
    }
    for (int p = 0; parcel_count_ > 0 && p < size(); ++p) {
        const Parcel *parcel = aside(p, envelope.operation);
        if (parcel && parcel->envelope.call != envelope.call) {
            throw mismatch(envelope.operation, rank_, envelope.call, p, parcel->envelope.call);
        }
    }
    drop_parcels(envelope.operation);
    forget_alive(envelope.operation);
}

void Mailbox::forget_alive(uint64_t operation) {
    if (const Alive *alive = find_alive(operation)) {
        ended_.push_back(alive->envelope);
        alive_.erase(alive_.begin() + (alive - alive_.data()));
    }
    if (ended_.size() > remembered) {
        ended_.pop_front();
    }
}

void Mailbox::drop_parcels(uint64_t operation) {
    for (size_t p = 0; parcel_count_ > 0 && p < peers_.size(); ++p) {
        parcel_count_ -=
            peers_[p].parcels.remove_if([=](const Parcel &parcel) { return parcel.envelope.operation == operation; });
    }
}

void Mailbox::leave(uint64_t operation) {
    drop_parcels(operation);
    forget_alive(operation);
    for (Peer &peer : peers_) {
        std::erase_if(peer.expected, [&](uint32_t slot) { return items_[slot].envelope.operation == operation; });
    }
    for (uint32_t slot = 0; slot < items_.size(); ++slot) {
        // Notices tell peers that this rank has left, so they stay.
        const Item &item = items_[slot];
        if (item.in_use && item.has_ticket && !item.in_network && item.envelope.operation == operation) {
            release(slot);
        }
    }
}

void Mailbox::forget_all() {
    alive_.clear();
    planned_.clear();
    parcel_count_ = 0;
    for (Peer &peer : peers_) {
        peer.expected.clear();
        peer.parcels.clear();
    }
    for (uint32_t slot = 0; slot < items_.size(); ++slot) {
        if (items_[slot].in_use && !items_[slot].in_network) {
            release(slot);
        }
    }
}

// ----------------------------------------------------------------------------------------- sends and receives

uint32_t Mailbox::post(int peer, const Envelope &envelope, const void *data, size_t bytes) {
    if (free_.empty()) {
        items_.emplace_back().box = this;
        free_.reserve(items_.size()); // so that release() needs no memory
        free_.push_back(static_cast<uint32_t>(items_.size() - 1));
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    Item &item = items_[slot];
    ++item.value;
    item.envelope = envelope;
    item.data = static_cast<char *>(const_cast<void *>(data));
    item.bytes = bytes;
    item.moved = 0;
    item.peer = peer;
    item.in_use = true;
    item.has_ticket = true;
    item.in_network = item.is_torn = false;
    item.looks = 0;
    item.failure.reset();
    return slot;
}

Ticket Mailbox::ticket(uint32_t slot) const {
    const Item &item = items_[slot];
    return {&item.signal, item.value, item.peer, slot};
}

bool Mailbox::is_ticket(const Signal *signal) const {
    return std::any_of(items_.begin(), items_.end(), [=](const Item &item) { return &item.signal == signal; });
}

void Mailbox::close(Item &item) {
    item.signal.store(item.value);
}

void Mailbox::close(Item &item, Failure failure) {
    item.failure = std::move(failure);
    item.signal.store(item.value);
}

void Mailbox::finish(const Ticket &ticket) {
    Item &item = items_[ticket.slot];
    const std::optional<Failure> failure = std::exchange(item.failure, {});
    if (!item.in_network) { // else it was abandoned, and goes with its operation
        release(ticket.slot);
    }
    if (failure) {
        throw *failure;
    }
}

void Mailbox::release(uint32_t slot) {
    items_[slot].in_use = false;
    free_.push_back(slot);
}

// --------------------------------------------------------------------------------------------------- meeting

void Mailbox::expect(uint32_t slot) {
    Item &item = items_[slot];
    const Alive *alive = find_alive(item.envelope.operation);
    if (alive && alive->failure) {
        close(item, *alive->failure);
    } else {
        peer_of(item.peer).expected.push_back(slot);
    }
}

Mailbox::Parcel *Mailbox::aside(int peer, uint64_t operation) {
    for (Parcel &parcel : peer_of(peer).parcels) {
        if (parcel.envelope.operation == operation) {
            return &parcel;
        }
    }
    return nullptr;
}

void Mailbox::discard(int peer, const Parcel *parcel) {
    parcel_count_ -= peer_of(peer).parcels.remove_if([=](const Parcel &other) { return &other == parcel; });
}

template <class Chosen> void Mailbox::discard_remote(int peer, Chosen chosen) {
    parcel_count_ -=
        peer_of(peer).parcels.remove_if([&](const Parcel &parcel) { return parcel.remote && chosen(parcel); });
}

Mailbox::Parcel *Mailbox::set_aside(int peer, Parcel parcel) {
    std::list<Parcel> &parcels = peer_of(peer).parcels;
    parcels.push_back(std::move(parcel));
    ++parcel_count_;
    return &parcels.back();
}

bool Mailbox::agree(Item &receive, const Envelope &envelope, size_t bytes) const {
    if (envelope.call != receive.envelope.call) {
        close(receive, mismatch(envelope.operation, rank_, receive.envelope.call, receive.peer, envelope.call));
        return false;
    }
    if (bytes != receive.bytes) {
        close(receive, knows_own_counts(envelope.call)
                           ? counts_differ(envelope.operation, receive.peer, bytes, rank_, receive.bytes)
                           : chose_otherwise(envelope, receive.peer, bytes, rank_, receive.bytes));
        return false;
    }
    return true;
}

bool Mailbox::agree(Item &receive, const Parcel &parcel) const {
    if (parcel.left) {
        fail_for_leaving(receive, parcel.envelope);
        return false;
    }
    return agree(receive, parcel.envelope, parcel.bytes);
}

void Mailbox::fail_for_leaving(Item &item, const Envelope &peers) const {
    const Envelope &mine = item.envelope;
    close(item, peers.call != mine.call ? mismatch(mine.operation, rank_, mine.call, item.peer, peers.call)
                                        : left_early(peers.operation, item.peer));
}

const Mailbox::Parcel *Mailbox::farewell(int peer, uint64_t operation) const {
    for (const Parcel &parcel : peer_of(peer).parcels) {
        if (parcel.left && parcel.envelope.operation == operation) {
            return &parcel;
        }
    }
    return nullptr;
}

Mailbox::Place Mailbox::arrive(int peer, const Envelope &envelope, size_t bytes) {
    std::vector<uint32_t> &expected = peer_of(peer).expected;
    const auto oldest = std::find_if(expected.begin(), expected.end(), [&](uint32_t slot) {
        return items_[slot].envelope.operation == envelope.operation;
    });
    if (oldest != expected.end()) {
        const uint32_t slot = *oldest;
        expected.erase(oldest);
        return agree(items_[slot], envelope, bytes) ? Place{slot, nullptr} : Place{};
    }
    if (is_over(envelope.operation)) {
        return {}; // of another call perhaps, but that must not harm the next one
    }
    return {none, set_aside(peer, {envelope, bytes, false, false, nullptr, nullptr})};
}

void Mailbox::left(int peer, const Envelope &envelope) {
    // It wants the buffers back of what is still with it.
    discard_remote(peer, [&](const Parcel &parcel) { return parcel.envelope.operation == envelope.operation; });
    std::erase_if(peer_of(peer).expected, [&](uint32_t slot) {
        const bool concerned = items_[slot].envelope.operation == envelope.operation;
        if (concerned) {
            fail_for_leaving(items_[slot], envelope);
        }
        return concerned;
    });
    if (!is_over(envelope.operation)) {
        set_aside(peer, {envelope, 0, true, true, nullptr, nullptr});
    }
}

// --------------------------------------------------------------------------------------- peers that are gone

void Mailbox::lose(int peer, const Failure &why) {
    Peer &lost = peer_of(peer);
    if (lost.lost) {
        return; // the first reason stays
    }
    lost.lost = why;
    for (const uint32_t slot : std::exchange(lost.expected, {})) {
        close(items_[slot], why);
    }
    for (Item &item : items_) {
        if (item.peer == peer && item.is_torn && is_open(item)) {
            close(item, why);
        }
    }
}

void Mailbox::tear(Item &item) {
    if (!item.box->is_lost(item)) {
        item.is_torn = true;
        item.looks = 0;
    }
}

void Mailbox::close_torn() {
    for (Item &item : items_) {
        if (item.is_torn && is_open(item) && !is_lost(item) && ++item.looks == patient_looks) {
            close(item, failure_at(item.peer, XCOLL_ERR_TRANSPORT,
                                   "rank %d: the network has lost a message to or from rank %d", rank_, item.peer));
        }
    }
}

void Mailbox::give_back(int peer) {
    discard_remote(peer, [](const Parcel &) { return true; });
}

void Mailbox::abandon_all(const Failure &why) {
    for (Item &item : items_) {
        if ((item.in_network || item.is_torn) && is_open(item)) {
            close(item, why);
        }
    }
}

bool Mailbox::is_lost(Item &item) const {
    const Peer &peer = peer_of(item.peer);
    if (peer.lost) {
        close(item, *peer.lost);
    }
    return peer.lost.has_value();
}

} // namespace xcoll

#include "fabric/sim/network_endpoint.h"

#include "base/error.h"

namespace xcoll::sim {

Ticket Network::Endpoint::take_slot(int peer, const Envelope &envelope, size_t bytes) {
    if (free_.empty()) {
        free_.push_back(static_cast<uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const uint32_t number = free_.back();
    free_.pop_back();
    Slot &slot = slots_[number];
    slot.busy = true;
    slot.trouble.reset();
    slot.envelope = envelope;
    slot.bytes = bytes;
    slot.peer = peer;
    return {&slot.signal, ++slot.uses, peer, number};
}

Ticket Network::Endpoint::send(int peer, const Envelope &envelope, const void *data, size_t bytes) {
    const Ticket ticket = take_slot(peer, envelope, bytes);
    network_.send({peer, rank_, envelope.operation},
                  {.slot = ticket.slot, .envelope = envelope, .data = data, .bytes = bytes, .own = nullptr});
    return ticket;
}

Ticket Network::Endpoint::recv(int peer, const Envelope &envelope, void *data, size_t bytes) {
    const Ticket ticket = take_slot(peer, envelope, bytes);
    network_.receive({rank_, peer, envelope.operation}, {ticket.slot, envelope, data, bytes});
    return ticket;
}

void Network::Endpoint::came_instead(uint32_t number, const Fingerprint &call, size_t bytes) {
    Slot &slot = slots_[number];
    slot.trouble = {
        XCOLL_ERR_MISMATCH,
        format("operation %llu: rank %d called %s and waits for %zu bytes, but rank %d called %s and sent %zu",
               static_cast<unsigned long long>(slot.envelope.operation), rank_, describe(slot.envelope.call).c_str(),
               slot.bytes, slot.peer, describe(call).c_str(), bytes),
        slot.peer};
}

void Network::Endpoint::finish(const Ticket &ticket) {
    Slot &slot = slots_[ticket.slot];
    if (!slot.busy || slot.uses != ticket.value || !ticket.until().reached()) {
        fail(XCOLL_ERR_INTERNAL, "rank %d finished a ticket (peer %d) twice or before it was reached", rank_,
             ticket.peer);
    }
    slot.busy = false;
    free_.push_back(ticket.slot);
    if (slot.trouble) {
        throw *slot.trouble;
    }
}

void Network::Endpoint::never_comes(uint32_t number, int offender, const Fingerprint &call) {
    Slot &slot = slots_[number];
    slot.trouble = {XCOLL_ERR_MISMATCH,
                    format("operation %llu: rank %d called %s, but rank %d called %s or left it with an error",
                           static_cast<unsigned long long>(slot.envelope.operation), rank_,
                           describe(slot.envelope.call).c_str(), offender, describe(call).c_str()),
                    offender};
    completed(number);
}

void Network::Endpoint::cancel_all() {
    network_.forget(rank_);
    release([](const Slot &) { return true; });
}

} // namespace xcoll::sim

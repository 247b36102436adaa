// One rank's side of a simulated network: tickets.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "fabric/sim/network.h"

namespace xcoll::sim {

class Network::Endpoint : public Transport {
public:
    Endpoint(Network &network, int rank) : network_(network), rank_(rank) {
    }
    int rank() const override {
        return rank_;
    }
    int size() const override {
        return static_cast<int>(network_.endpoints_.size());
    }
    void begin(const Envelope &envelope) override {
        network_.begin(rank_, envelope);
    }
    void end(const Envelope &envelope) override {
        network_.check_end(rank_, envelope);
        network_.end(rank_, envelope.operation);
    }
    void break_off(const Envelope &envelope) noexcept override {
        release([&](const Slot &slot) { return slot.envelope.operation == envelope.operation; });
        network_.leave(rank_, envelope);
    }
    Ticket send(int peer, const Envelope &envelope, const void *data, size_t bytes) override;
    Ticket recv(int peer, const Envelope &envelope, void *data, size_t bytes) override;
    void finish(const Ticket &ticket) override;
    bool progress() override {
        return false; // things move when the schedule says so
    }
    void cancel_all() override;

    void completed(uint32_t slot) {
        slots_[slot].signal.store(slots_[slot].uses);
    }
    // The message that came for a receive was another one, or none.
    void came_instead(uint32_t slot, const Fingerprint &call, size_t bytes);
    void never_comes(uint32_t slot, int offender, const Fingerprint &call);

private:
    struct Slot {
        Signal signal;
        uint64_t uses = 0;
        bool busy = false;
        std::optional<Failure> trouble;
        Envelope envelope;
        size_t bytes;
        int peer;
    };
    Ticket take_slot(int peer, const Envelope &envelope, size_t bytes);
    template <class Which> void release(Which which) {
        for (uint32_t number = 0; number < slots_.size(); ++number) {
            if (slots_[number].busy && which(slots_[number])) {
                slots_[number].busy = false;
                free_.push_back(number);
            }
        }
    }

    Network &network_;
    int rank_;
    std::deque<Slot> slots_; // signals must not move
    std::vector<uint32_t> free_;
};

} // namespace xcoll::sim

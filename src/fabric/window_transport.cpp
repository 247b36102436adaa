#include "fabric/window_transport.h"

#include <algorithm>
#include <cstring>

namespace xcoll {

WindowTransport::WindowTransport(Window &window)
    : window_(window), box_(window.rank(), window.size()), links_(static_cast<size_t>(window.size())) {
}

// ------------------------------------------------------------------------------------------------------- lanes

// Makes my lane to this peer, and before the first one the directory.
void WindowTransport::open_out(int peer) {
    const Arena &arena = window_.node().arena();
    const size_t ranks = links_.size();
    if (!directory_) {
        const uint64_t offset = window_.take_memory(LaneDirectory::bytes(size()));
        directory_ = arena.at(offset);
        for (size_t p = 0; p < ranks; ++p) {
            LaneDirectory::lane(directory_, static_cast<int>(p)).store(0);
        }
        Board &mine = window_.mine();
        const uint64_t generation = mine.generation.load(std::memory_order_relaxed);
        window_.publish(mine.directory, directory_value(generation, offset));
    }
    const uint64_t offset = window_.take_memory(sizeof(Lane));
    auto *lane = reinterpret_cast<Lane *>(arena.at(offset));
    lane->sent.store(0);
    lane->taken.store(0);
    link(peer).out = lane;
    window_.publish(LaneDirectory::lane(directory_, peer), offset);
}

bool WindowTransport::find_in(int peer) {
    Link &l = link(peer);
    if (!l.in) {
        const uint64_t directory = directory_offset(window_.board(peer));
        const uint64_t lane = directory ? LaneDirectory::lane(window_.at(peer, directory), rank()).read() : 0;
        l.in = lane ? reinterpret_cast<Lane *>(window_.at(peer, lane)) : nullptr;
    }
    return l.in != nullptr;
}

// -------------------------------------------------------------------------------------------------- operations

void WindowTransport::plan(uint64_t operation) {
    box_.plan(operation);
}

void WindowTransport::cancel_plan(uint64_t operation) {
    box_.cancel_plan(operation);
}

void WindowTransport::begin(const Envelope &envelope) {
    box_.begin(envelope);
}

void WindowTransport::end(const Envelope &envelope) {
    drop_coming(envelope.operation);
    box_.end(envelope);
}

void WindowTransport::break_off(const Envelope &envelope) noexcept {
    if (cancelled_) {
        return;
    }
    drop_coming(envelope.operation);
    for (Link &l : links_) {
        std::erase_if(l.sends, [&](uint32_t slot) {
            const Mailbox::Item &item = box_.item(slot);
            return item.has_ticket && item.envelope.operation == envelope.operation;
        });
    }
    box_.leave(envelope.operation);
    for (int p = 0; p < size(); ++p) {
        if (p != rank()) {
            tell_that_left(p, envelope);
        }
    }
}

void WindowTransport::tell_that_left(int peer, const Envelope &envelope) {
    Link &l = link(peer);
    try {
        if (!l.out) {
            open_out(peer);
        }
        const uint32_t slot = box_.post(peer, envelope, nullptr, 0);
        box_.item(slot).has_ticket = false;
        l.sends.push_front(slot);
        activate(peer);
        push(peer);
    } catch (...) {
        // Without memory for it the peer learns of the failure by waiting too long.
        return;
    }
}

// The message that is coming in is not wanted any more: the rest of it goes nowhere.
void WindowTransport::drop_coming(uint64_t operation) {
    for (Link &l : links_) {
        if (l.coming && l.envelope.operation == operation) {
            l.place = {};
        }
    }
}

void WindowTransport::cancel_all() {
    cancelled_ = true;
    for (Link &l : links_) {
        l.sends.clear();
        l.place = {};
    }
    box_.forget_all();
}

// --------------------------------------------------------------------------------------------------- messages

Ticket WindowTransport::send(int peer, const Envelope &envelope, const void *data, size_t bytes) {
    if (cancelled_) {
        fail(XCOLL_ERR_ABORTED, "rank %d sends on a communicator that has failed", rank());
    }
    if (!link(peer).out) {
        open_out(peer);
    }
    const uint32_t slot = box_.post(peer, envelope, data, bytes);
    if (const Mailbox::Parcel *farewell = box_.farewell(peer, envelope.operation)) {
        box_.fail_for_leaving(box_.item(slot), farewell->envelope);
        return box_.ticket(slot);
    }
    link(peer).sends.push_back(slot);
    activate(peer);
    push(peer);
    return box_.ticket(slot);
}

Ticket WindowTransport::recv(int peer, const Envelope &envelope, void *data, size_t bytes) {
    if (cancelled_) {
        fail(XCOLL_ERR_ABORTED, "rank %d receives on a communicator that has failed", rank());
    }
    const uint32_t slot = box_.post(peer, envelope, data, bytes);
    Mailbox::Item &item = box_.item(slot);
    Link &l = link(peer);
    activate(peer);
    Mailbox::Parcel *parcel = box_.aside(peer, envelope.operation);
    if (!parcel) {
        box_.expect(slot);
        pull(peer);
        return box_.ticket(slot);
    }
    const bool agreed = box_.agree(item, *parcel);
    const size_t there = parcel->complete ? bytes : l.arrived;
    if (agreed && there > 0) {
        std::memcpy(data, parcel->data.get(), there);
    }
    if (!parcel->complete) {
        l.place = agreed ? Mailbox::Place{slot, nullptr} : Mailbox::Place{};
    } else if (agreed) {
        Mailbox::close(item);
    }
    if (!parcel->left) { // that holds for all receives to come
        box_.discard(peer, parcel);
    }
    return box_.ticket(slot);
}

void WindowTransport::finish(const Ticket &ticket) {
    box_.finish(ticket);
}

// --------------------------------------------------------------------------------------------------- progress

void WindowTransport::activate(int peer) {
    if (!link(peer).active) {
        link(peer).active = true;
        active_.push_back(peer);
    }
}

// Something that the peer sends is waited for: a message, or, for a send, that it has left the operation.
bool WindowTransport::wants(int peer) {
    return box_.expects(peer) || link(peer).place.slot != Mailbox::none || !link(peer).sends.empty();
}

bool WindowTransport::progress() {
    bool moved = false;
    for (size_t i = 0; i < active_.size();) {
        const int peer = active_[i];
        moved |= push(peer);
        moved |= pull(peer);
        if (!wants(peer)) {
            link(peer).active = false;
            active_[i] = active_.back();
            active_.pop_back();
        } else {
            ++i;
        }
    }
    return moved;
}

// For the next chunk that is to be sent.
bool WindowTransport::has_room(const Link &l) {
    if (l.sends.empty()) {
        return false;
    }
    const bool is_data = box_.item(l.sends.front()).has_ticket;
    return l.sent - l.out->taken.read() < (is_data ? lane_data_slots : lane_slots);
}

bool WindowTransport::push(int peer) {
    Link &l = link(peer);
    bool moved = false;
    while (has_room(l)) {
        const uint32_t slot = l.sends.front();
        Mailbox::Item &item = box_.item(slot);
        push_chunk(l, item);
        moved = true;
        if (item.moved < item.bytes) {
            continue;
        }
        l.sends.pop_front();
        if (item.has_ticket) {
            Mailbox::close(item);
        } else {
            box_.release(slot);
        }
    }
    return moved;
}

void WindowTransport::push_chunk(Link &l, Mailbox::Item &item) {
    using Mark = ChunkHead::Mark;
    const uint64_t i = l.sent % lane_slots;
    const size_t bytes = std::min(lane_chunk, item.bytes - item.moved);
    ChunkHead &head = l.out->heads[i];
    head.envelope = item.envelope;
    head.total = item.bytes;
    head.bytes = static_cast<uint32_t>(bytes);
    head.mark = !item.has_ticket ? Mark::left : item.moved == 0 ? Mark::first : Mark::next;
    if (bytes > 0) {
        std::memcpy(l.out->chunks[i], item.data + item.moved, bytes);
    }
    item.moved += bytes;
    window_.publish(l.out->sent, ++l.sent);
}

bool WindowTransport::pull(int peer) {
    Link &l = link(peer);
    bool moved = false;
    while (wants(peer) && find_in(peer) && l.in->sent.reached(l.taken + 1)) {
        pull_chunk(peer, l);
        window_.publish(l.in->taken, ++l.taken);
        moved = true;
    }
    return moved;
}

void WindowTransport::pull_chunk(int peer, Link &l) {
    const uint64_t i = l.taken % lane_slots;
    const ChunkHead &head = l.in->heads[i];
    using Mark = ChunkHead::Mark;
    const bool cuts_short =
        head.mark == Mark::first || (head.mark == Mark::left && head.envelope.operation == l.envelope.operation);
    if (l.coming && cuts_short) {
        abandon_coming(l);
    }
    if (head.mark == Mark::left) {
        box_.left(peer, head.envelope);
        fail_sends(l, head.envelope);
        return;
    }
    if (head.mark == Mark::first) {
        l.envelope = head.envelope;
        l.total = head.total;
        l.arrived = 0;
        l.place = box_.arrive(peer, l.envelope, l.total);
        l.coming = true;
        if (l.place.parcel) {
            l.place.parcel->data = std::make_unique_for_overwrite<char[]>(l.total);
        }
    }
    char *to = l.place.parcel                  ? l.place.parcel->data.get()
               : l.place.slot != Mailbox::none ? box_.item(l.place.slot).data
                                               : nullptr;
    if (to && head.bytes > 0) {
        std::memcpy(to + l.arrived, l.in->chunks[i], head.bytes);
    }
    l.arrived += head.bytes;
    if (l.arrived == l.total) {
        settle_coming(l);
    }
}

// The peer has left this operation, so it will not make room for more of it.
void WindowTransport::fail_sends(Link &l, const Envelope &peers) {
    std::erase_if(l.sends, [&](uint32_t slot) {
        Mailbox::Item &item = box_.item(slot);
        const bool concerned = item.has_ticket && item.envelope.operation == peers.operation;
        if (concerned) {
            box_.fail_for_leaving(item, peers);
        }
        return concerned;
    });
}

void WindowTransport::settle_coming(Link &l) {
    l.coming = false;
    if (l.place.parcel) {
        l.place.parcel->complete = true;
    } else if (l.place.slot != Mailbox::none) {
        Mailbox::close(box_.item(l.place.slot));
    }
    l.place = {};
}

void WindowTransport::abandon_coming(Link &l) {
    l.coming = false;
    if (l.place.parcel) {
        l.place.parcel->left = true;
        l.place.parcel->complete = true;
    } else if (l.place.slot != Mailbox::none) {
        box_.fail_for_leaving(box_.item(l.place.slot), l.envelope);
    }
    l.place = {};
}

// ------------------------------------------------------------------------------------------------------ sleep

// progress() would find something to do with this peer.
bool WindowTransport::has_news(int peer) {
    const Link &l = link(peer);
    return (wants(peer) && find_in(peer) && l.in->sent.reached(l.taken + 1)) || has_room(l);
}

bool WindowTransport::sleep(const Until &until, int64_t nanoseconds) {
    if (!box_.is_ticket(until.signal)) {
        return false;
    }
    const int whom = active_.size() == 1 ? window_.node_rank(active_.front()) : -1;
    const auto ready = [&] {
        return until.reached() || std::any_of(active_.begin(), active_.end(), [this](int p) { return has_news(p); });
    };
    window_.node().doorbell().sleep(ready, whom, nanoseconds);
    return true;
}

} // namespace xcoll

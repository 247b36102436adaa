#include "fabric/plugin_transport.h"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace xcoll {

namespace {

// A peer that has not taken a message for so long while this rank wants its buffer back is cut off.
constexpr int64_t longest_drain = 3 * second;

} // namespace

PluginTransport::PluginTransport(std::shared_ptr<Net> net, uint64_t id, int rank, std::vector<int> net_ranks)
    : net_(std::move(net)), id_(id), box_(rank, static_cast<int>(net_ranks.size())), net_ranks_(std::move(net_ranks)),
      streams_(net_ranks_.size()) {
}

PluginTransport::~PluginTransport() {
    cancel_all();
    const auto held = net_->lock();
    net_->close(id_);
}

// -------------------------------------------------------------------------------------------------- operations

void PluginTransport::begin(const Envelope &envelope) {
    const auto held = net_->lock();
    box_.begin(envelope);
    newest_ = envelope.operation > newest_.operation ? envelope : newest_;
    answer_those_who_asked();
    for (const Mailbox::Question &question : box_.take_questions()) {
        hear_question(question);
    }
}

void PluginTransport::plan(uint64_t operation) {
    const auto held = net_->lock();
    box_.plan(operation);
}

void PluginTransport::cancel_plan(uint64_t operation) {
    const auto held = net_->lock();
    box_.cancel_plan(operation);
}

void PluginTransport::end(const Envelope &envelope) {
    const auto held = net_->lock();
    box_.end(envelope);
}

void PluginTransport::break_off(const Envelope &envelope) noexcept {
    {
        const auto held = net_->lock();
        if (cancelled_) {
            return;
        }
        box_.leave(envelope.operation);
        tell_that_left(envelope);
    }
    drain(false, envelope.operation);
    const auto held = net_->lock();
    box_.leave(envelope.operation);
}

void PluginTransport::cancel_all() {
    {
        const auto held = net_->lock();
        cancelled_ = true;
        box_.forget_all();
        for (Stream &s : streams_) {
            s.held.clear();
        }
    }
    drain(true, 0);
    const auto held = net_->lock();
    box_.forget_all();
}

// Until the network has given back the buffers of one operation, or of all.
void PluginTransport::drain(bool all, uint64_t operation) {
    const int64_t end = now_ns() + longest_drain;
    bool cut = false;
    for (;;) {
        const auto held = net_->lock();
        const bool patient = cut || now_ns() < end;
        bool busy = false;
        for (const Mailbox::Item &item : box_.items()) {
            if (item.in_use && item.in_network && (all || item.envelope.operation == operation)) {
                busy = true;
                if (!patient) {
                    net_->hang_up(net_rank(item.peer));
                }
            }
        }
        if (!busy) {
            return;
        }
        cut |= !patient;
        if (!net_->progress()) {
            sched_yield();
        }
    }
}

// ---------------------------------------------------------------------------------------------------- messages

Ticket PluginTransport::send(int peer, const Envelope &envelope, const void *data, size_t bytes) {
    const auto held = net_->lock();
    if (cancelled_) {
        fail(XCOLL_ERR_ABORTED, "rank %d sends on a communicator that has failed", rank());
    }
    const uint32_t slot = box_.post(peer, envelope, data, bytes);
    Mailbox::Item &item = box_.item(slot);
    if (const Mailbox::Parcel *farewell = box_.farewell(peer, envelope.operation)) {
        box_.fail_for_leaving(item, farewell->envelope);
    } else if (!box_.is_lost(item)) {
        const NetLabel label{
            id_,           stream(peer).sent++, envelope, static_cast<uint32_t>(rank()), NetLabel::Kind::message,
            XCOLL_SUCCESS, Failure::nobody};
        item.in_network = true;
        settle(item, net_->send(net_rank(peer), label, data, bytes, &item));
    }
    return box_.ticket(slot);
}

Ticket PluginTransport::recv(int peer, const Envelope &envelope, void *data, size_t bytes) {
    const auto held = net_->lock();
    if (cancelled_) {
        fail(XCOLL_ERR_ABORTED, "rank %d receives on a communicator that has failed", rank());
    }
    const uint32_t slot = box_.post(peer, envelope, data, bytes);
    Mailbox::Item &item = box_.item(slot);
    Mailbox::Parcel *parcel = box_.aside(peer, envelope.operation);
    if (!parcel) {
        if (!box_.is_lost(item)) {
            box_.expect(slot);
            net_->reach(net_rank(peer)); // if it fails, progress() will tell
        }
        return box_.ticket(slot);
    }
    if (box_.agree(item, *parcel)) {
        if (parcel->remote) {
            fetch(item, parcel->remote.release());
        } else {
            if (bytes > 0) {
                std::memcpy(data, parcel->data.get(), bytes);
            }
            Mailbox::close(item);
        }
    }
    if (!parcel->left) { // that holds for all receives to come
        box_.discard(peer, parcel);
    }
    return box_.ticket(slot);
}

void PluginTransport::finish(const Ticket &ticket) {
    const auto held = net_->lock();
    try {
        box_.finish(ticket);
    } catch (const Failure &failure) {
        if (is_fatal(failure.result()) && !fatal_) {
            fatal_ = failure;
        }
        throw;
    }
}

void PluginTransport::fetch(Mailbox::Item &item, void *message) {
    item.in_network = true;
    settle(item, net_->fetch(message, item.data, item.bytes, &item));
}

void PluginTransport::settle(Mailbox::Item &item, xcoll_result_t result) {
    if (result != XCOLL_IN_PROGRESS) {
        done(&item, result);
    }
}

void PluginTransport::done(void *token, xcoll_result_t result) {
    auto &item = *static_cast<Mailbox::Item *>(token);
    item.in_network = false;
    if (item.signal.reached(item.value)) {
        return; // abandoned
    }
    if (result == XCOLL_SUCCESS) {
        Mailbox::close(item);
    } else if (result == XCOLL_ERR_NO_MEMORY) {
        Mailbox::close(item, xcoll::out_of_memory(item.box->rank()));
    } else {
        Mailbox::tear(item);
    }
}

// ---------------------------------------------------------------------------------------------------- arrivals

bool PluginTransport::arrived(const NetLabel &label, const void *data, size_t bytes, void *message) {
    if (label.source >= static_cast<uint32_t>(size())) {
        return false;
    }
    if (cancelled_) {
        stream(static_cast<int>(label.source)).has_freed |= label.kind == NetLabel::Kind::freed;
        return false;
    }
    net_->know(net_rank(static_cast<int>(label.source)));
    Stream &s = stream(static_cast<int>(label.source));
    if (label.sequence != s.arrived) {
        Held held{label, nullptr, bytes, remote(message)};
        if (!message) {
            held.data = std::make_unique_for_overwrite<char[]>(bytes);
            std::copy_n(static_cast<const char *>(data), bytes, held.data.get());
        }
        s.held.emplace(label.sequence, std::move(held));
        return true;
    }
    ++s.arrived;
    const bool kept = deliver(label, data, bytes, message);
    for (auto next = s.held.extract(s.arrived); !next.empty(); next = s.held.extract(s.arrived)) {
        ++s.arrived;
        Held &held = next.mapped();
        if (deliver(held.label, held.data.get(), held.bytes, held.message.get())) {
            static_cast<void>(held.message.release());
        }
    }
    return kept;
}

bool PluginTransport::deliver(const NetLabel &label, const void *data, size_t bytes, void *message) {
    const auto source = static_cast<int>(label.source);
    switch (label.kind) {
    case NetLabel::Kind::message:
        stream(source).note(label.envelope);
        return deliver_message(label, data, bytes, message);
    case NetLabel::Kind::left:
        stream(source).note(label.envelope);
        box_.left(source, label.envelope);
        return false;
    case NetLabel::Kind::question:
        stream(source).note(label.envelope);
        hear_question({source, label.envelope});
        return false;
    case NetLabel::Kind::where:
        hear_where({source, label.envelope});
        return false;
    case NetLabel::Kind::here:
        hear_here(source, label.envelope);
        return false;
    case NetLabel::Kind::farewell:
        hear_farewell(label, data, bytes, message);
        return false;
    case NetLabel::Kind::freed:
        hear_freed(source);
        return false;
    }
    return false;
}

bool PluginTransport::deliver_message(const NetLabel &label, const void *data, size_t bytes, void *message) {
    if (takes_no_more_) {
        return false;
    }
    const Mailbox::Place place = box_.arrive(static_cast<int>(label.source), label.envelope, bytes);
    if (place.slot != Mailbox::none) {
        Mailbox::Item &item = box_.item(place.slot);
        if (message) {
            fetch(item, message);
            return true;
        }
        if (bytes > 0) {
            std::memcpy(item.data, data, bytes);
        }
        Mailbox::close(item);
        return true;
    }
    if (!place.parcel) {
        return false;
    }
    place.parcel->complete = true;
    if (message) {
        place.parcel->remote = remote(message);
    } else {
        place.parcel->data = std::make_unique_for_overwrite<char[]>(bytes);
        std::copy_n(static_cast<const char *>(data), bytes, place.parcel->data.get());
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- progress

bool PluginTransport::progress() {
    const auto held = net_->lock();
    ask_at_times();
    return net_->progress();
}

bool PluginTransport::sleep(const Until &until, int64_t nanoseconds) {
    pollfd network{-1, POLLIN, 0};
    {
        const auto held = net_->lock();
        if (!box_.is_ticket(until.signal)) {
            return false;
        }
        const xcoll_result_t armed = net_->arm(&network.fd);
        if (armed != XCOLL_SUCCESS) {
            return armed == XCOLL_IN_PROGRESS;
        }
    }
    // Another thread may have moved the message before the descriptor was armed.
    if (!until.reached()) {
        const timespec time = timespec_of(nanoseconds);
        ppoll(&network, 1, &time, nullptr);
    }
    return true;
}

} // namespace xcoll

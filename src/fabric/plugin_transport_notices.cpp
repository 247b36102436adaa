// What the ranks of a communicator tell each other beside its messages, and what the network tells of them.
#include "fabric/plugin_transport.h"

#include <cstring>

#include "base/clock.h"
#include "fabric/disagreement.h"

namespace xcoll {

namespace {

// What is not over after one or two of these is asked for: long beside a message, short beside a user's patience.
constexpr int64_t between_questions = 100 * millisecond;

} // namespace

// That an operation was left for a call's error, peers may survive: they must not hear so of anything else, not even
// shortly before the farewell.
void PluginTransport::tell_that_left(const Envelope &envelope) {
    if (fatal_) {
        bid_farewell(*fatal_);
        return;
    }
    for (int p = 0; p < size(); ++p) {
        tell(p, NetLabel::Kind::left, envelope, {XCOLL_SUCCESS, ""});
    }
}

void PluginTransport::say_farewell(const Failure &why) noexcept {
    const auto held = net_->lock();
    bid_farewell(why);
}

void PluginTransport::bid_farewell(const Failure &why) {
    if (said_farewell_) {
        return; // the first reason stays
    }
    said_farewell_ = true;
    for (int p = 0; p < size(); ++p) {
        tell(p, NetLabel::Kind::farewell, {}, why);
    }
    take_no_more();
}

// Nothing ends well here any more, so whoever still sends to this rank gets its buffers back at once: not before could
// it end, which may hold up others.
void PluginTransport::take_no_more() {
    takes_no_more_ = true;
    for (int p = 0; p < size(); ++p) {
        box_.give_back(p);
    }
}

// No connection is made for it: its other end might not be looked after any more, and this rank would wait for it when
// it ends.
void PluginTransport::say_freed() noexcept {
    const auto held = net_->lock();
    for (int p = 0; p < size(); ++p) {
        if (net_->is_known(net_rank(p))) {
            tell(p, NetLabel::Kind::freed, {}, {XCOLL_SUCCESS, ""});
        }
    }
}

bool PluginTransport::has_freed(int peer) {
    const auto held = net_->lock();
    return stream(peer).has_freed;
}

bool PluginTransport::has_lost(int peer) {
    const auto held = net_->lock();
    return stream(peer).is_lost;
}

bool PluginTransport::awaits(int peer) {
    const auto held = net_->lock();
    return box_.expects(peer);
}

// The network keeps a copy of so short a message, or loses it together with the connection.
void PluginTransport::tell(int peer, NetLabel::Kind kind, const Envelope &envelope, const Failure &why) {
    constexpr size_t longest_reason = 200;
    if (peer == rank()) {
        return;
    }
    const int at_fault = why.rank() != Failure::nobody ? why.rank() : rank();
    const NetLabel label{id_,  stream(peer).sent++, envelope, static_cast<uint32_t>(rank()),
                         kind, why.result(),        at_fault};
    char reason[longest_reason];
    copy_shortened(why.what(), reason, sizeof reason);
    net_->send(net_rank(peer), label, reason, std::strlen(reason), nullptr);
}

void PluginTransport::hear_question(const Mailbox::Question &question) {
    if (const Envelope *mine = box_.answer(question)) {
        tell(question.peer, NetLabel::Kind::left, *mine, {XCOLL_SUCCESS, ""});
    }
}

void PluginTransport::ask_at_times() {
    const int64_t now = now_ns(CLOCK_MONOTONIC_COARSE);
    if (now - asked_ < between_questions || cancelled_) {
        return;
    }
    asked_ = now;
    box_.close_torn();
    for (const Mailbox::Question &question : box_.overdue()) {
        tell(question.peer, NetLabel::Kind::question, question.envelope, {XCOLL_SUCCESS, ""});
    }
}

void PluginTransport::hear_farewell(const NetLabel &label, const void *data, size_t bytes, void *message) {
    const std::string reason = message ? "" : std::string(static_cast<const char *>(data), bytes);
    const auto source = static_cast<int>(label.source);
    const Failure why = gave_up(source, {label.result, reason, label.rank});
    for (int p = 0; p < size(); ++p) {
        stream(p).is_lost |= label.result == XCOLL_ERR_PEER_DEAD && p == label.rank;
        box_.lose(p, why);
    }
    box_.abandon_all(why); // who said so may not take anything for long, being in no call
    take_no_more();
}

// All that it has sent came before.
void PluginTransport::hear_freed(int peer) {
    stream(peer).has_freed = true;
    box_.give_back(peer);
    box_.lose(peer, failure_at(peer, XCOLL_ERR_ABORTED,
                               "rank %d freed this communicator, on which rank %d still waits for it", peer, rank()));
}

void PluginTransport::lost(int net_rank, xcoll_result_t result, const char *why) {
    for (int p = 0; p < size(); ++p) {
        if (net_ranks_[static_cast<size_t>(p)] == net_rank) {
            stream(p).is_lost = true;
            box_.lose(p, failure_at(p, result,
                                    "rank %d: the connection to rank %d%s has failed (%s); it has ended, or its "
                                    "machine or the network has failed",
                                    rank(), p, net_->process(net_rank), why));
        }
    }
}

void PluginTransport::out_of_memory() {
    for (int p = 0; p < size(); ++p) {
        box_.lose(p,
                  failure_at(rank(), XCOLL_ERR_SYSTEM, "rank %d has no memory for a message that came early", rank()));
    }
}

} // namespace xcoll

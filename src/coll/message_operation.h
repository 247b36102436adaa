// The messages of one operation on one rank, and its place in the window if the ranks have one.
//
// Every algorithm that works by messages begins with one of these and goes on with enter(). However the coroutine ends
// (by end(), by an exception, by being destroyed), the transport has given back every buffer when this is gone, and the
// peers that still wait for this rank fail instead of waiting for ever. So it is declared after the scratch memory that
// its messages use. Only Window::complete is left to whoever runs the algorithm.
#pragma once

#include "coll/algorithm.h"
#include "coll/credit.h"

namespace xcoll {

class MessageOperation {
public:
    MessageOperation(Team &team, const Fingerprint &call, uint64_t n)
        : transport_(*team.transport), window_(team.window), envelope_{n, call} {
        transport_.begin(envelope_);
    }
    MessageOperation(const MessageOperation &) = delete;
    MessageOperation &operator=(const MessageOperation &) = delete;
    ~MessageOperation() {
        if (ended_) {
            return;
        }
        transport_.break_off(envelope_);
        if (shown_) {
            window_->break_off(envelope_.operation);
        }
    }

    Ticket send(int peer, const void *data, size_t bytes) {
        return transport_.send(peer, envelope_, data, bytes);
    }
    Ticket recv(int peer, void *data, size_t bytes) {
        return transport_.recv(peer, envelope_, data, bytes);
    }
    // The ticket was reached. Throws what went wrong with it.
    void finish(const Ticket &ticket) {
        transport_.finish(ticket);
    }
    // The last step: all tickets are finished.
    void end() {
        transport_.end(envelope_);
        ended_ = true;
    }

    // ---- a communicator that could share memory as well: somebody may have called what goes through the window
    bool needs_credit() const {
        return window_ && !window_->has_credit(envelope_.operation, window_->cells());
    }
    void show_call() {
        if (window_) {
            window_->announce_call(envelope_.operation, envelope_.call);
            shown_ = true;
        }
    }
    // What to wait for before the first message from or to a peer, and then to check: it may have called something that
    // sends this rank no message at all, or takes none. Throws MISMATCH.
    Until entered(int peer) const {
        return window_ ? window_->entered(peer, envelope_.operation) : Until{&at_once_, 0, peer};
    }
    void check(int peer) const {
        if (window_) {
            window_->check(peer, envelope_.operation, envelope_.call);
        }
    }
    Window *window() const {
        return window_;
    }
    uint64_t number() const {
        return envelope_.operation;
    }

private:
    Transport &transport_;
    Window *window_;
    Envelope envelope_;
    Signal at_once_;
    bool shown_ = false;
    bool ended_ = false;
};

// The second statement of an algorithm.
inline Task enter(TaskHome &home, MessageOperation &operation) {
    if (operation.needs_credit()) {
        co_await acquire_credit(home, *operation.window(), operation.number(), operation.window()->cells());
    }
    operation.show_call();
}

// A message from or to this peer is over. Throws what went wrong with it, or MISMATCH if the peer called another thing.
inline Task settle(TaskHome &, MessageOperation &operation, int peer, const Ticket &ticket) {
    co_await operation.entered(peer);
    operation.check(peer);
    co_await ticket.until();
    operation.finish(ticket);
}

} // namespace xcoll

// Messages between ranks that do not share memory, as the algorithms see them. Virtual calls only here: a message
// between machines costs microseconds. Realized by the UCX plug-in, by the simulator, and over a Window.
//
// A transport belongs to one communicator. Messages from one rank to another within one operation arrive in the order
// in which they were sent; operations are independent of each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/op.h"
#include "base/signal.h"

namespace xcoll {

// Travels in front of every payload, so that a mismatched call is an error that names both calls, not a hang or
// garbage.
struct Envelope {
    uint64_t operation; // number of the operation on the communicator
    Fingerprint call;
};

// The completion of one send or recv: co_await ticket.until(), then transport.finish(ticket).
struct Ticket {
    const Signal *signal;
    uint64_t value;
    int peer;
    uint32_t slot; // the transport's own
    Until until() const {
        return {signal, value, peer};
    }
};

class Transport {
public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    // ---- the life of an operation (coll/message_operation.h sees to it)
    // In the order of operations, for one that begins behind later ones, as a later stage of a group does; and that it
    // will not begin after all.
    virtual void plan(uint64_t /*operation*/) {
    }
    virtual void cancel_plan(uint64_t /*operation*/) {
    }
    // Before its first message, when the operation starts: in the order of operations unless it was planned. What comes
    // later for an operation up to this number that is neither alive nor planned is dropped.
    virtual void begin(const Envelope &) {
    }
    // When all its tickets are finished. Throws MISMATCH if a peer sent something that belongs to another call.
    virtual void end(const Envelope &) {
    }
    // Instead of end(), when this rank leaves it early: takes back every buffer of this operation, as cancel_all()
    // does, and makes the peers' receives from this rank in this operation fail. Waits for no peer's operation.
    virtual void break_off(const Envelope &) noexcept {
    }

    // ---- messages
    // The buffer belongs to the transport until the ticket is reached or the operation is broken off.
    virtual Ticket send(int peer, const Envelope &envelope, const void *data, size_t bytes) = 0;
    // Takes the next message of this operation from that peer; it must have exactly these bytes and this call.
    virtual Ticket recv(int peer, const Envelope &envelope, void *data, size_t bytes) = 0;
    // After the ticket was reached, exactly once. Throws MISMATCH if another call or size arrived or the peer left the
    // operation with an error, TRANSPORT or PEER_DEAD if the message was lost.
    virtual void finish(const Ticket &ticket) = 0;

    // ---- progress
    // Moves what can be moved; called by every wait. True if something moved.
    virtual bool progress() = 0;
    // Sleeps until progress() may find something to do for this ticket, at most so long; may return early. False at
    // once if it is no ticket of this transport, or if the transport cannot sleep.
    virtual bool sleep(const Until &, int64_t /*nanoseconds*/) {
        return false;
    }
    // Tells the peers that this rank gives up on the communicator: what they wait for here then fails. Any thread.
    // For transports whose ranks share no memory; a window has a farewell of its own.
    virtual void say_farewell(const Failure & /*why*/) noexcept {
    }
    // Tells the peers that this rank frees the communicator: what they wait for here then fails, and all that this rank
    // has finished stays good for them. Nothing is sent afterwards.
    virtual void say_freed() noexcept {
    }
    // The peer has said so. Any thread, here and below.
    virtual bool has_freed(int /*peer*/) {
        return false;
    }
    // The connection to the peer has failed, or another rank has told that it died.
    virtual bool has_lost(int /*peer*/) {
        return false;
    }
    // The newest operation that this rank knows of a peer to have begun, 0 if none; and what a peer said that was
    // asked.
    struct Whereabouts {
        enum class Asked { unsettled, answers, silent };
        Envelope newest{};
        Asked asked = Asked::unsettled; // not asked, or not long ago
    };
    virtual Whereabouts whereabouts(int /*peer*/) {
        return {};
    }
    // Asks all peers whether they have begun this operation, which they answer as long as they are in calls of the
    // library: when they hear it, and when they begin it.
    virtual void ask_where(uint64_t /*operation*/) {
    }
    // A message of this peer is waited for.
    virtual bool awaits(int /*peer*/) {
        return false;
    }
    // Takes back every buffer that was handed over, for good: nothing touches them after the return, here or at a
    // peer. Before any frame or user buffer of an unfinished operation goes away. Nothing can be sent afterwards.
    virtual void cancel_all() = 0;
};

} // namespace xcoll

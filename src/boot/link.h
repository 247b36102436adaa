// A channel over a connected TCP socket. Never blocks.
#pragma once

#include <poll.h>

#include "boot/channel.h"
#include "boot/contact.h"
#include "boot/packet.h"

namespace xcoll {

class Link {
public:
    Link(Descriptor socket, Channel::Role role, const Key &key);

    // Moves what can be moved in both directions.
    void step();
    bool is_open() const {
        return channel_.state() == Channel::State::open;
    }
    Channel::State state() const {
        return channel_.state();
    }
    // Nothing more will come: the other side has hung up, or the channel has failed.
    bool is_over() const {
        return hung_up_ || channel_.failed();
    }
    bool take(Frame &frame) {
        return channel_.take(frame);
    }
    void send(FrameKind kind, const void *body, size_t bytes);
    template <class Body> void send(FrameKind kind, const Body &body) {
        send(kind, &body, sizeof body);
    }
    bool has_output() {
        return !channel_.outgoing().empty() && !hung_up_;
    }
    pollfd poll_entry() {
        return {socket_.get(), static_cast<short>(has_output() ? POLLIN | POLLOUT : POLLIN), 0};
    }
    int socket() const {
        return socket_.get();
    }

private:
    void read();
    void write();

    Descriptor socket_;
    Channel channel_;
    bool hung_up_ = false;
};

} // namespace xcoll

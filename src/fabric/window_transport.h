// Messages between ranks that share memory: for algorithms that know messages only, and for testing them.
//
// Every pair of ranks that talk has a lane in each direction (lane.h has the protocol and its proof). A message goes
// through it in chunks, so long ones are copied in and out at the same time. Sends to one peer go in the order in
// which they were posted, whatever their operations. That cannot deadlock: the receiver empties a lane as long as it
// expects anything from that sender, and puts messages of other operations aside in private memory; so a message that
// is expected gets through, whatever lies in front of it. It also does so while it has something to send to that peer:
// the peer may say that it has left the operation, and then a send that waits for room fails. A lane from which nothing
// is expected stays as it is, and stops its sender when it is full: that is what keeps the sender from running away.
#pragma once

#include <deque>
#include <vector>

#include "fabric/lane.h"
#include "fabric/mailbox.h"
#include "fabric/window.h"

namespace xcoll {

class WindowTransport final : public Transport {
public:
    // Everything that peers may still read is the window's and goes with it.
    explicit WindowTransport(Window &window);

    int rank() const override {
        return box_.rank();
    }
    int size() const override {
        return box_.size();
    }
    void plan(uint64_t operation) override;
    void cancel_plan(uint64_t operation) override;
    void begin(const Envelope &envelope) override;
    void end(const Envelope &envelope) override;
    void break_off(const Envelope &envelope) noexcept override;
    Ticket send(int peer, const Envelope &envelope, const void *data, size_t bytes) override;
    Ticket recv(int peer, const Envelope &envelope, void *data, size_t bytes) override;
    void finish(const Ticket &ticket) override;
    bool progress() override;
    bool sleep(const Until &until, int64_t nanoseconds) override;
    void cancel_all() override;

private:
    // What goes on with one peer.
    struct Link {
        Lane *out = nullptr; // mine
        uint64_t sent = 0;
        std::deque<uint32_t> sends;
        Lane *in = nullptr; // the peer's
        uint64_t taken = 0;
        // The message whose chunks are coming in.
        bool coming = false;
        Mailbox::Place place;
        Envelope envelope{};
        size_t total = 0, arrived = 0;
        bool active = false; // in active_
    };
    Link &link(int peer) {
        return links_[static_cast<size_t>(peer)];
    }
    void activate(int peer);
    void open_out(int peer);
    bool find_in(int peer);
    bool wants(int peer);
    bool has_news(int peer);
    bool has_room(const Link &link);
    bool push(int peer);
    void push_chunk(Link &link, Mailbox::Item &item);
    bool pull(int peer);
    void pull_chunk(int peer, Link &link);
    void fail_sends(Link &link, const Envelope &peers);
    void abandon_coming(Link &link);
    void settle_coming(Link &link);
    void drop_coming(uint64_t operation);
    void tell_that_left(int peer, const Envelope &envelope);

    Window &window_;
    Mailbox box_;
    std::vector<Link> links_;
    std::vector<int> active_;
    char *directory_ = nullptr; // of my lanes
    bool cancelled_ = false;
};

} // namespace xcoll

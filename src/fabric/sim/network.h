// Messages between simulated ranks: a Transport that delivers when the schedule says so, or when virtual time has come.
//
// What a network may do and an algorithm must stand: messages of different operations overtake each other; a send is
// over long before its message arrives, or only when the receiver has come for it, whatever its size; a receive buffer
// is scribbled over before the data comes.
//
// What it does for them: who meets a message of another call in an operation fails, and so does who waits for somebody
// in another call, even if nobody sends anything: a receive asks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "fabric/sim/simulator.h"
#include "fabric/transport.h"

namespace xcoll::sim {

// A message of b bytes occupies its sender, and its receiver, for gap + b * per_byte, and travels for latency.
struct LinkModel {
    double latency_ns = 1500;
    double gap_ns = 100;
    double per_byte_ns = 0.04; // 25 GB/s
    size_t eager_bytes = 8192; // larger ones wait until the receiver has asked for them
};

// The transports of one communicator. Messages without data (nullptr with a size) cost time and nothing else.
class Network {
public:
    // by_time: by the model, for a simulator with Policy::by_time, whose now() then tells how long everything took.
    Network(Simulator &simulator, int ranks, bool by_time, const LinkModel &model = {});
    ~Network();
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    Transport &transport(int rank);
    uint64_t messages() const {
        return messages_;
    }
    uint64_t bytes() const {
        return bytes_;
    }

private:
    class Endpoint;
    struct Sent {
        uint32_t slot; // of the sender's ticket
        Envelope envelope;
        const void *data;
        size_t bytes;
        bool eager = false;  // the sender need not wait for the receiver
        bool copied = false; // and does not any more: the data is in `own`
        bool left = false;   // no message: the sender has left the operation early
        bool due = false;    // its arrival is planned
        double arrives = 0;  // virtual time
        std::unique_ptr<unsigned char[]> own;
    };
    struct Wanted {
        uint32_t slot;
        Envelope envelope;
        void *data;
        size_t bytes;
    };
    // From one rank to another in one operation: messages meet receives in the order of both.
    struct Channel {
        std::deque<Sent> sent;
        std::deque<Wanted> wanted;
    };
    struct Key {
        int to, from;
        uint64_t operation;
        auto operator<=>(const Key &) const = default;
    };
    struct Arrival {
        double time;
        uint64_t order; // among equals, so that every run is the same
        Key key;
        bool operator<(const Arrival &other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    // By sender and operation, so that a random place among them is found quickly.
    using Inbox = std::map<std::pair<int, uint64_t>, Channel>;

    // An operation at a rank. Somebody who called something else is the end of it: a receive would wait for what never
    // comes.
    struct Begun {
        Fingerprint call;
        bool over = false;
        int offender = -1;
        Fingerprint other{};
    };
    using Life = std::map<uint64_t, Begun>; // by operation

    void begin(int rank, const Envelope &envelope);
    void check_end(int rank, const Envelope &envelope);
    void end(int rank, uint64_t operation);
    void leave(int rank, const Envelope &envelope);
    bool is_over(int rank, uint64_t operation);
    void drop(const Key &key, Channel &channel);
    Begun *find(int rank, uint64_t operation);
    bool refuse(const Key &key, Channel &channel);
    bool ask(const Key &key, Channel &channel);
    void meet_offender(int rank, uint64_t operation, int offender, const Fingerprint &call);
    void fail_receives(int rank, uint64_t operation, const Begun &begun);

    void send(const Key &key, Sent message);
    void receive(const Key &key, const Wanted &wanted);
    void forget(int rank);

    bool move_any(Random &random);
    bool move_to(int rank, Random &random);
    bool move(const Key &key, Channel &channel, Random &random);
    bool arrive_next();
    double travel(const Key &key, size_t bytes, bool eager);
    void plan(const Key &key, Channel &channel);
    void copy(const Key &key, Sent &message);
    void deliver(const Key &key, Channel &channel);
    Endpoint &endpoint(int rank) {
        return *endpoints_[static_cast<size_t>(rank)];
    }
    Inbox &inbox(int rank) {
        return inboxes_[static_cast<size_t>(rank)];
    }
    int size() const {
        return static_cast<int>(inboxes_.size());
    }

    Simulator &simulator_;
    bool by_time_;
    LinkModel model_;
    uint64_t messages_ = 0, bytes_ = 0;
    std::vector<std::unique_ptr<Endpoint>> endpoints_;
    std::vector<Inbox> inboxes_;
    std::vector<Life> lives_;
    std::vector<double> sender_free_, receiver_free_;
    uint64_t arrivals_planned_ = 0;
    std::priority_queue<Arrival> arrivals_;
};

} // namespace xcoll::sim

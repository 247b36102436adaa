// What all transports of real ranks do alike: tickets, and which message goes into which receive.
//
// A message is known by its sender and its operation; those of one operation meet its receives in the order of both.
// What nobody has asked for yet lies aside, so no message stands in the way of another. What comes for an operation
// that this rank has left is dropped: peers may have sent it before they learned of the failure.
//
// Ranks whose calls differ may wait for each other without a message between them: where one broadcasts from the other
// and that from the first, nobody sends. So who waits for long asks, and is told what its peer calls if that is
// something else. The peer, too, learns from the question that its own operation is none of the asker's.
#pragma once

#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "fabric/transport.h"

namespace xcoll {

// Drops data that is still at its sender.
struct RemoteDropper {
    void (*drop)(void *network, void *message) = nullptr;
    void *network = nullptr;
    void operator()(void *message) const {
        drop(network, message);
    }
};

class Mailbox {
public:
    static constexpr uint32_t none = ~uint32_t{0};

    // One send or receive, from its post to its finish.
    struct Item {
        Mailbox *box; // that it is in
        Signal signal;
        uint64_t value = 0; // of the signal when it is over
        Envelope envelope{};
        char *data = nullptr; // of a send: only read
        size_t bytes = 0;
        size_t moved = 0;
        int peer = -1;
        bool in_use = false;
        bool has_ticket = false; // false: a notice that nobody waits for
        bool in_network = false; // the network works on it and will say when it is done
        bool is_torn = false;    // the network has lost it, and may say soon that its peer is gone
        int looks = 0;           // for how long it is not over: see overdue() and close_torn()
        std::optional<Failure> failure;
    };

    // A message that came before its receive.
    struct Parcel {
        Envelope envelope;
        size_t bytes;
        bool left = false; // no message: its sender has left the operation
        bool complete = false;
        std::unique_ptr<char[]> data;
        std::unique_ptr<void, RemoteDropper> remote; // to be fetched
    };
    // Where a message that begins to come in belongs: to a receive, aside, or nowhere (it is dropped).
    struct Place {
        uint32_t slot = none;
        Parcel *parcel = nullptr;
    };

    Mailbox(int rank, int size) : rank_(rank), peers_(static_cast<size_t>(size)) {
    }
    int rank() const {
        return rank_;
    }
    int size() const {
        return static_cast<int>(peers_.size());
    }

    // ---- operations
    void begin(const Envelope &envelope);
    void plan(uint64_t operation);
    void cancel_plan(uint64_t operation);
    struct Question {
        int peer;
        Envelope envelope;
    };
    // What this rank calls, if it is not the same: then its own operation fails as well, if it is not over. nullptr:
    // there is nothing to say, or not before it begins (see take_questions).
    const Envelope *answer(const Question &question);
    // Those that came too early for an answer, of operations that have begun now.
    std::vector<Question> take_questions();
    // What is not over although it was not at the last look either. Once.
    std::vector<Question> overdue();
    void end(const Envelope &envelope);
    // Forgets everything about an operation that this rank leaves early; everything at all. But what the network is
    // working on: once that is over, for a second call.
    void leave(uint64_t operation);
    void forget_all();

    // ---- sends and receives
    uint32_t post(int peer, const Envelope &envelope, const void *data, size_t bytes);
    Item &item(uint32_t slot) {
        return items_[slot];
    }
    std::deque<Item> &items() {
        return items_;
    }
    Ticket ticket(uint32_t slot) const;
    bool is_ticket(const Signal *signal) const;
    // It is over; a failure is thrown by finish().
    static void close(Item &item);
    static void close(Item &item, Failure failure);
    void finish(const Ticket &ticket);
    void release(uint32_t slot);

    // ---- meeting
    // The receive waits for its message from now on.
    void expect(uint32_t slot);
    bool expects(int peer) const {
        return !peer_of(peer).expected.empty();
    }
    // The oldest message of this operation that lies aside; nullptr: none.
    Parcel *aside(int peer, uint64_t operation);
    void discard(int peer, const Parcel *parcel);
    // Compares what came with what was asked for; if they differ, the receive is over with MISMATCH.
    bool agree(Item &receive, const Envelope &envelope, size_t bytes) const;
    bool agree(Item &receive, const Parcel &parcel) const;
    Place arrive(int peer, const Envelope &envelope, size_t bytes);
    // The peer has left an operation early: receives from it fail, and so will those to come.
    void left(int peer, const Envelope &envelope);
    // The same for one send or receive.
    void fail_for_leaving(Item &item, const Envelope &peers) const;
    // What the peer said when it left, or nullptr.
    const Parcel *farewell(int peer, uint64_t operation) const;

    // ---- peers that are gone
    void lose(int peer, const Failure &why);
    // The network has lost the message and given its buffer back. Most often that is how a peer that is gone shows
    // first, so the item is over with that reason once it is known.
    static void tear(Item &item);
    // Those whose peer has turned out to be gone, and those for which nothing turned out although it was time.
    void close_torn();
    // Nobody waits any more for what the network works on, which has its buffers still.
    void abandon_all(const Failure &why);
    // The peer wants the buffers back of all that is still with it.
    void give_back(int peer);
    // True, the item being over, if its peer is gone.
    bool is_lost(Item &item) const;

private:
    // As one look may come right after something began.
    static constexpr int patient_looks = 2;
    static bool is_open(const Item &item) {
        return item.in_use && !item.signal.reached(item.value);
    }
    struct Peer {
        std::vector<uint32_t> expected; // receives, in the order in which they were posted
        std::list<Parcel> parcels;      // in the order in which they came
        std::optional<Failure> lost;
    };
    Peer &peer_of(int peer) {
        return peers_[static_cast<size_t>(peer)];
    }
    const Peer &peer_of(int peer) const {
        return peers_[static_cast<size_t>(peer)];
    }
    struct Alive {
        Envelope envelope;
        std::optional<Failure> failure; // somebody else waits for this rank in another call
    };
    Alive *find_alive(uint64_t operation);
    bool is_planned(uint64_t operation) const;
    // It may begin yet.
    bool is_to_come(uint64_t operation) const;
    bool is_over(uint64_t operation) const;
    void forget_alive(uint64_t operation);
    void fail_receives(const Alive &alive);
    void take_nothing(int peer, uint64_t operation);
    void drop_parcels(uint64_t operation);
    template <class Chosen> void discard_remote(int peer, Chosen chosen);
    Parcel *set_aside(int peer, Parcel parcel);

    int rank_;
    std::vector<Peer> peers_;
    std::deque<Item> items_; // their signals are waited for, so they stay where they are
    std::vector<uint32_t> free_;
    size_t parcel_count_ = 0;

    uint64_t newest_ = 0; // of those that have begun or are planned
    std::vector<uint64_t> planned_;
    std::vector<Alive> alive_;
    std::vector<Question> questions_;
    // As many as a rank may be ahead of one that asks.
    static constexpr size_t remembered = 64;
    std::deque<Envelope> ended_;
};

} // namespace xcoll

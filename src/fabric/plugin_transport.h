// The messages of one communicator over a Net: what WindowTransport is inside a machine.
//
// The network brings messages in any order, so each carries its number and waits for those before it. Data that a
// network keeps at its sender until it is asked for (long messages) is fetched straight into the receive's buffer, or
// dropped when the operation is over: then its sender gets its buffer back.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/mailbox.h"
#include "fabric/net.h"

namespace xcoll {

class PluginTransport final : public Transport {
public:
    PluginTransport(std::shared_ptr<Net> net, uint64_t id, int rank, std::vector<int> net_ranks);
    ~PluginTransport() override;
    PluginTransport(const PluginTransport &) = delete;
    PluginTransport &operator=(const PluginTransport &) = delete;

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
    void say_farewell(const Failure &why) noexcept override;
    void say_freed() noexcept override;
    bool has_freed(int peer) override;
    bool has_lost(int peer) override;
    Whereabouts whereabouts(int peer) override;
    void ask_where(uint64_t operation) override;
    bool awaits(int peer) override;
    void cancel_all() override;

    // ---- called by Net, with its lock held
    // False: a message that was announced is to be dropped.
    bool arrived(const NetLabel &label, const void *data, size_t bytes, void *message);
    void lost(int net_rank, xcoll_result_t result, const char *why);
    void out_of_memory();
    static void done(void *token, xcoll_result_t result);

private:
    // A message that overtook another one.
    struct Held {
        NetLabel label;
        std::unique_ptr<char[]> data;
        size_t bytes;
        std::unique_ptr<void, RemoteDropper> message;
    };
    struct Stream {
        uint64_t sent = 0;    // messages to this peer
        uint64_t arrived = 0; // and from it, without a gap
        bool has_freed = false, is_lost = false;
        Envelope newest{}; // of all that it sent
        bool answers = false;
        std::map<uint64_t, Held> held;

        void note(const Envelope &begun) {
            newest = begun.operation > newest.operation ? begun : newest;
        }
    };
    Stream &stream(int peer) {
        return streams_[static_cast<size_t>(peer)];
    }
    int net_rank(int peer) const {
        return net_ranks_[static_cast<size_t>(peer)];
    }
    std::unique_ptr<void, RemoteDropper> remote(void *message) {
        return {message, RemoteDropper{Net::drop, net_.get()}};
    }
    bool deliver(const NetLabel &label, const void *data, size_t bytes, void *message);
    bool deliver_message(const NetLabel &label, const void *data, size_t bytes, void *message);
    void hear_question(const Mailbox::Question &question);
    void ask_at_times();
    void hear_farewell(const NetLabel &label, const void *data, size_t bytes, void *message);
    void hear_freed(int peer);
    void hear_where(const Mailbox::Question &question);
    void hear_here(int peer, const Envelope &newest);
    void answer_those_who_asked();
    void fetch(Mailbox::Item &item, void *message);
    void settle(Mailbox::Item &item, xcoll_result_t result);
    void tell(int peer, NetLabel::Kind kind, const Envelope &envelope, const Failure &why);
    void tell_that_left(const Envelope &envelope);
    void bid_farewell(const Failure &why);
    void take_no_more();
    void drain(bool all, uint64_t operation);

    std::shared_ptr<Net> net_;
    uint64_t id_;
    Mailbox box_;
    std::vector<int> net_ranks_;
    std::vector<Stream> streams_;
    int64_t asked_ = 0; // when it was looked whether there is something to ask
    Envelope newest_{}; // operation of this rank
    uint64_t roll_ = 0; // the operation that peers were asked for last
    int64_t roll_at_ = 0;
    std::vector<Mailbox::Question> want_to_know_; // asked for operations that have not begun here
    bool cancelled_ = false;
    bool said_farewell_ = false, takes_no_more_ = false;
    std::optional<Failure> fatal_; // the first that an operation got from here
};

} // namespace xcoll

// The launcher's end of the ranks' control sockets: gathers a contribution from every rank and answers all of them.
// Never blocks on a rank, keeps at most one contribution of each and one answer to each, and trusts none.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

#include "boot/launcher_protocol.h"

namespace xcoll::launcher {

// A rank because of which the job cannot go on, and why.
struct Trouble {
    int rank;
    std::string text;
};

class Hub {
public:
    // The launcher's end of each rank's socket.
    explicit Hub(std::vector<Descriptor> sockets);

    // What to wait for on behalf of a rank; no descriptor once it has hung up.
    pollfd poll_entry(int rank) const;
    // True if a rank waits for something that poll does not report: call retry() after some milliseconds.
    bool stalled() const;
    void retry();
    void serve(int rank, short events);

    // The first rank that broke the protocol.
    const std::optional<Trouble> &trouble() const {
        return trouble_;
    }
    // A rank that others wait for and that has hung up.
    std::optional<Trouble> deserter() const;
    // From now on every rank that waits or comes is told that the job has ended.
    void end(const std::string &why);

private:
    using Bytes = std::vector<char>;
    using Descriptors = std::vector<Descriptor>;

    struct Message {
        Kind kind;
        std::shared_ptr<const Bytes> data;
        std::shared_ptr<const Descriptors> descriptors;
        size_t sent = 0;
    };
    struct Member {
        Descriptor socket;
        std::deque<Message> queue;
        bool stalled = false;
        bool refused = false; // it broke the protocol: nothing more is read from it
        // Its part in the round.
        bool started = false, finished = false;
        size_t received = 0;
        Descriptor descriptor;
        int group = -1; // the first of its peers
    };
    // What the ranks are contributing to.
    struct Round {
        Kind kind{};
        size_t total = 0; // bytes of each rank, if kind is allgather
        int first = -1;   // the rank that began it
        int started = 0, finished = 0;
        std::shared_ptr<Bytes> data;
        std::map<int, std::vector<int32_t>> groups; // lists of peers by their first
    };

    int size() const {
        return static_cast<int>(members_.size());
    }
    Member &member(int rank) {
        return members_[static_cast<size_t>(rank)];
    }
    void hang_up(int rank);
    void blame(int rank, std::string text);
    void take_packet(int rank, Packet &packet);
    void welcome(int rank, const Header &header);
    void withdraw(Member &from);
    bool start(int rank, const Header &header);
    void take_bytes(int rank, const Header &header);
    void take_descriptor(int rank, const Header &header, Packet &packet);
    void finish(Member &by);
    void answer_gathered();
    void answer_descriptors();
    void post(int rank, Message message);
    void flush(int rank);
    bool send_part(Member &to);

    std::vector<Member> members_;
    Round round_;
    std::optional<Trouble> trouble_;
    std::shared_ptr<const Bytes> ended_;
    Bytes packet_;
};

} // namespace xcoll::launcher

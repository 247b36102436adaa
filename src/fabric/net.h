// The network between machines as one rank of a job sees it: an endpoint of a plug-in (plugins/plugin.h), shared by all
// communicators that came from the same start. Each of them has a transport of its own.
//
// Communicators may be driven by different threads, and whoever moves the network moves the messages of all of them. So
// there is one lock around the endpoint and all that the transports keep; nobody waits or sleeps with it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "boot/boot.h"
#include "fabric/transport.h"
#include "plugins/plugin.h"

namespace xcoll {

class PluginTransport;

// Travels in front of every message.
struct NetLabel {
    enum class Kind : uint32_t {
        message,
        left,     // no message: the sender has left the operation with an error
        farewell, // the sender gives up on the communicator; the message is why
        freed,    // no message: the sender frees the communicator
        question, // no message: the sender waits for this rank in an operation that it calls so; see Mailbox::answer
        where,    // no message: the sender asks whether this rank has begun its operation
        here,     // no message: the sender's newest operation
    };
    uint64_t communicator;
    uint64_t sequence; // from this source in this communicator, from 0 on: networks may reorder
    Envelope envelope;
    uint32_t source; // rank in the communicator
    Kind kind;
    int32_t result, rank; // of a farewell: what went wrong, and the rank at fault; its own if it blames nobody
};
static_assert(sizeof(NetLabel) == 56 && sizeof(NetLabel) <= XCOLL_NETWORK_HEADER_BYTES);

class Net : public std::enable_shared_from_this<Net> {
public:
    // Collective over boot; succeeds on every rank or throws on every rank. plugin_folder: as for load_plugin.
    static std::shared_ptr<Net> connect(Bootstrap &boot, const std::string &plugin_folder);
    // The same with a plug-in that is there already; nullptr: there is none, `trouble` says why.
    static std::shared_ptr<Net> connect(Bootstrap &boot, const xcoll_network_plugin *plugin, std::string trouble);
    explicit Net(const xcoll_network_plugin &plugin);
    ~Net();
    Net(const Net &) = delete;
    Net &operator=(const Net &) = delete;

    // Tells the job from all others, equal on all its ranks.
    uint64_t mark() const {
        return mark_;
    }

    // ---- numbers of communicators: never used twice in a job, whatever its threads make at the same time
    // Of the one over all ranks of boot.
    uint64_t first_id() const {
        return 0;
    }
    // One that this rank has never given. Each member of a new communicator gives one to the others, and that of its
    // rank 0 counts, beside who that is.
    uint32_t give_number();
    static uint64_t id(int net_rank, uint32_t number) {
        return static_cast<uint64_t>(net_rank) << 32 | number;
    }
    // All members expect it before one of them sends anything on the communicator.
    void expect(uint64_t id);

    // net_ranks[i] is the rank in boot of rank i of the communicator.
    std::unique_ptr<Transport> open(uint64_t id, int rank, const std::vector<int> &net_ranks);

    // ---- for the transports, with the lock held
    std::unique_lock<std::mutex> lock() {
        return std::unique_lock(mutex_);
    }
    // It has been reached for, or something has gone there or come from there.
    bool is_known(int net_rank) const {
        return known_[static_cast<size_t>(net_rank)];
    }
    void know(int net_rank) {
        known_[static_cast<size_t>(net_rank)] = true;
    }
    xcoll_result_t reach(int net_rank) {
        know(net_rank);
        return plugin_.reach(network_, static_cast<size_t>(net_rank));
    }
    xcoll_result_t send(int net_rank, const NetLabel &label, const void *data, size_t bytes, void *token) {
        know(net_rank);
        return plugin_.send(network_, static_cast<size_t>(net_rank), &label, sizeof label, data, bytes, token);
    }
    xcoll_result_t fetch(void *message, void *to, size_t bytes, void *token) {
        return plugin_.fetch(network_, message, to, bytes, token);
    }
    static void drop(void *net, void *message) {
        const Net &self = *static_cast<Net *>(net);
        self.plugin_.drop(self.network_, message);
    }
    bool progress() {
        return plugin_.progress(network_) != 0;
    }
    xcoll_result_t arm(int *descriptor) {
        return plugin_.arm(network_, descriptor);
    }
    // For people: " (process 1234 on node7)", or nothing without boot. Needs no memory.
    const char *process(int net_rank) const {
        const auto r = static_cast<size_t>(net_rank);
        return r < processes_.size() ? processes_[r].c_str() : "";
    }
    void hang_up(int net_rank) {
        plugin_.hang_up(network_, static_cast<size_t>(net_rank));
    }
    void close(uint64_t id);

private:
    // A message for a communicator that this rank has yet to make.
    struct Early {
        NetLabel label;
        std::unique_ptr<char[]> data;
        size_t bytes;
        void *message;
    };
    struct Loss {
        xcoll_result_t result;
        std::string why;
    };
    static int32_t on_arrival(void *net, const void *header, size_t header_bytes, const void *data, size_t bytes,
                              void *message) noexcept;
    static void on_done(void *net, void *token, xcoll_result_t result) noexcept;
    static void on_loss(void *net, size_t peer, xcoll_result_t result, const char *why) noexcept;
    bool arrived(const NetLabel &label, const void *data, size_t bytes, void *message);

    std::mutex mutex_;
    const xcoll_network_plugin &plugin_;
    xcoll_network_events events_;
    void *network_ = nullptr;
    uint64_t mark_ = 0;
    std::map<uint64_t, PluginTransport *> open_;
    std::set<uint64_t> expected_{0}; // and not open yet
    uint32_t numbers_ = 0;           // that were given
    std::map<uint64_t, std::vector<Early>> early_;
    std::map<int, Loss> lost_;           // by rank in boot
    std::vector<bool> known_;            // by rank in boot, as far as there are communicators with it
    std::vector<std::string> processes_; // by rank in boot
};

} // namespace xcoll

#include "boot/descriptor_exchange.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <list>
#include <poll.h>
#include <string>
#include <sys/un.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "boot/room.h"

namespace xcoll {

namespace {

constexpr int64_t limit_ms = 30000; // the peers begin at the same time: the allgather has just ended
constexpr int again_ms = 5;         // between two attempts of what the kernel has no event for
// At a time. Each holds a descriptor, and a process may have few.
constexpr rlim_t shares_for_calls = 8, usual_calls = 16;
constexpr rlim_t shares_for_visitors = 4, usual_visitors = 64; // the others wait in the door's queue,
constexpr int64_t patience_ms = 500;     // for so long if a stranger is in their way who says nothing
constexpr uint32_t magic = 0x44434c58;   // "XLCD"
constexpr int waiting_connections = 512; // more than ranks call at once; those turned away call again

// All that is ever said: the listener greets, the caller gives (with its descriptor), the listener thanks.
struct Word {
    uint32_t magic;
    int32_t rank; // who says it
    uint64_t secret[2];
};

// An abstract name: it vanishes with its socket, and leaves no file.
socklen_t make_address(const Doorplate &plate, sockaddr_un &address) {
    address = {};
    address.sun_family = AF_UNIX;
    char *name = address.sun_path + 1;
    int length = std::snprintf(name, sizeof address.sun_path - 1, "xcoll-");
    for (const uint8_t byte : plate.name) {
        length += std::snprintf(name + length, sizeof address.sun_path - 1 - static_cast<size_t>(length), "%02x", byte);
    }
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
}

bool same_user(int socket) {
    ucred other{};
    socklen_t bytes = sizeof other;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 && other.uid == geteuid();
}

bool say(int socket, int rank, const uint64_t secret[2], const int *descriptor) {
    const Word word = {magic, rank, {secret[0], secret[1]}};
    return send_packet(socket, &word, sizeof word, nullptr, 0, descriptor, descriptor != nullptr ? 1 : 0);
}

// Nothing, or a word with the secret and as many descriptors as expected.
enum class Heard { nothing, word, hung_up, nonsense };
Heard hear(int socket, const uint64_t secret[2], Word &word, Descriptor *descriptor) {
    Packet packet = receive_packet(socket, &word, sizeof word);
    if (packet.bytes < 0 && errno == EAGAIN) {
        return Heard::nothing;
    }
    if (packet.bytes <= 0) {
        return Heard::hung_up;
    }
    if (descriptor != nullptr && packet.descriptors.empty() && !packet.whole) {
        fail(XCOLL_ERR_BOOTSTRAP, "no room for the descriptor of a peer: too many open files; raise the limit "
                                  "(ulimit -n)");
    }
    const bool right = packet.whole && packet.bytes == sizeof word && word.magic == magic &&
                       ((word.secret[0] ^ secret[0]) | (word.secret[1] ^ secret[1])) == 0 &&
                       packet.descriptors.size() == (descriptor != nullptr ? 1 : 0);
    if (right && descriptor != nullptr) {
        *descriptor = std::move(packet.descriptors.front());
    }
    return right ? Heard::word : Heard::nonsense;
}

class Exchange {
public:
    Exchange(const Door &door, int rank, int mine, const std::vector<int> &peers, const std::vector<Doorplate> &plates,
             const TakeDescriptor &take)
        : door_(door), rank_(rank), mine_(mine), peers_(peers), plates_(plates), take_(take), received_(peers.size()) {
    }
    void run();

private:
    struct Call {
        int peer;
        Descriptor socket;
        bool greeted = false;
        bool given = false;
    };
    struct Visitor {
        Descriptor socket;
        int64_t since;
    };

    const Doorplate &plate(int rank) const {
        return plates_[static_cast<size_t>(rank)];
    }
    void start_calls();
    bool connect_to(Call &call) const;
    // Both return false once the connection has served its purpose or has failed.
    bool go_on(Call &call);
    bool go_on(Visitor &visitor);
    bool receive(int from, Descriptor descriptor);
    bool full() const;
    void let_in();
    void wait(int64_t deadline) const;
    [[noreturn]] void fail_late() const;

    const Door &door_;
    const int rank_, mine_;
    const std::vector<int> &peers_;
    const std::vector<Doorplate> &plates_;
    const TakeDescriptor &take_;
    const size_t calls_at_a_time_ = room_for_connections(shares_for_calls, usual_calls);
    const size_t visitors_limit_ = room_for_connections(shares_for_visitors, usual_visitors);
    std::vector<bool> received_;
    size_t missing_ = 0;       // descriptors that have not come
    std::vector<int> to_call_; // peers, the next one last
    std::list<Call> calls_;
    std::list<Visitor> visitors_; // the oldest first
};

void Exchange::run() {
    const int64_t deadline = now_ms() + limit_ms;
    for (size_t i = 0; i < peers_.size(); ++i) {
        if (peers_[i] != rank_) {
            ++missing_;
            // Everybody begins with the next one: all calling the same rank would fill its queue.
            to_call_.push_back(peers_[i]);
        } else {
            Descriptor copy(fcntl(mine_, F_DUPFD_CLOEXEC, 0));
            if (!copy) {
                fail_system("fcntl(F_DUPFD_CLOEXEC)");
            }
            received_[i] = true;
            take_(i, std::move(copy));
        }
    }
    std::rotate(to_call_.begin(), std::lower_bound(to_call_.begin(), to_call_.end(), rank_), to_call_.end());
    std::reverse(to_call_.begin(), to_call_.end());
    for (;;) {
        start_calls();
        std::erase_if(calls_, [this](Call &call) { return !go_on(call); });
        let_in();
        std::erase_if(visitors_, [this](Visitor &visitor) { return !go_on(visitor); });
        if (missing_ == 0 && to_call_.empty() && calls_.empty()) {
            return;
        }
        if (now_ms() >= deadline) {
            fail_late();
        }
        wait(deadline);
    }
}

void Exchange::start_calls() {
    while (calls_.size() < calls_at_a_time_ && !to_call_.empty()) {
        Call call = {to_call_.back(), Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
        if (!call.socket) {
            fail_system("socket(AF_UNIX)");
        }
        if (!connect_to(call)) {
            return;
        }
        to_call_.pop_back();
        calls_.push_back(std::move(call));
    }
}

// False if the peer's queue is full for now.
bool Exchange::connect_to(Call &call) const {
    sockaddr_un address;
    const socklen_t bytes = make_address(plate(call.peer), address);
    while (connect(call.socket.get(), reinterpret_cast<const sockaddr *>(&address), bytes) != 0) {
        if (errno == EAGAIN) {
            return false;
        }
        if (errno == ECONNREFUSED) {
            fail_at(call.peer, XCOLL_ERR_BOOTSTRAP,
                    "rank %d cannot reach rank %d on this machine: it has ended or given up, or is in another network "
                    "namespace",
                    rank_, call.peer);
        }
        if (errno != EINTR) {
            fail_system("connect(AF_UNIX)");
        }
    }
    if (!same_user(call.socket.get())) {
        fail(XCOLL_ERR_AUTH, "another user listens in place of rank %d", call.peer);
    }
    return true;
}

bool Exchange::go_on(Call &call) {
    Word word;
    const Heard heard = hear(call.socket.get(), plate(call.peer).listener_secret, word, nullptr);
    if (heard == Heard::nonsense || (heard == Heard::word && word.rank != call.peer)) {
        fail(XCOLL_ERR_AUTH, "whoever listens in place of rank %d cannot prove that it is", call.peer);
    }
    if (heard == Heard::hung_up) {
        to_call_.insert(to_call_.begin(), call.peer); // it had too many visitors; if it has ended, the next call shows
        return false;
    }
    if (heard == Heard::word && call.given) {
        return false;
    }
    call.greeted = call.greeted || heard == Heard::word;
    if (call.greeted && !call.given) {
        call.given = say(call.socket.get(), rank_, plate(call.peer).caller_secret, &mine_);
        if (!call.given && errno != EAGAIN && errno != EPIPE && errno != ECONNRESET) {
            fail_system("sendmsg(SCM_RIGHTS)");
        }
    }
    return true;
}

bool Exchange::full() const {
    return visitors_.size() >= visitors_limit_ && now_ms() < visitors_.front().since + patience_ms;
}

void Exchange::let_in() {
    while (!full()) {
        Descriptor socket(accept4(door_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket) {
            if (errno == EINTR || errno == ECONNABORTED) {
                continue;
            }
            if (errno == EAGAIN) {
                return;
            }
            fail_system("accept(AF_UNIX)");
        }
        if (!same_user(socket.get()) || !say(socket.get(), rank_, door_.plate().listener_secret, nullptr)) {
            continue;
        }
        if (visitors_.size() == visitors_limit_) {
            visitors_.pop_front();
        }
        visitors_.push_back({std::move(socket), now_ms()});
    }
}

bool Exchange::go_on(Visitor &visitor) {
    Word word;
    Descriptor descriptor;
    const Heard heard = hear(visitor.socket.get(), door_.plate().caller_secret, word, &descriptor);
    if (heard == Heard::nothing) {
        return true;
    }
    if (heard == Heard::word && receive(word.rank, std::move(descriptor))) {
        say(visitor.socket.get(), rank_, door_.plate().listener_secret, nullptr);
    }
    return false;
}

// False if it is from a rank that is none of our peers. A second one from the same rank is as good as the first.
bool Exchange::receive(int from, Descriptor descriptor) {
    const auto at = std::lower_bound(peers_.begin(), peers_.end(), from);
    if (at == peers_.end() || *at != from || from == rank_) {
        return false;
    }
    const auto place = static_cast<size_t>(at - peers_.begin());
    if (!received_[place]) {
        received_[place] = true;
        --missing_;
        take_(place, std::move(descriptor));
    }
    return true;
}

void Exchange::wait(int64_t deadline) const {
    std::vector<pollfd> entries = {{full() ? -1 : door_.socket(), POLLIN, 0}};
    bool again = full() || (!to_call_.empty() && calls_.size() < calls_at_a_time_);
    for (const Call &call : calls_) {
        entries.push_back({call.socket.get(), POLLIN, 0});
        again = again || (call.greeted && !call.given);
    }
    for (const Visitor &visitor : visitors_) {
        entries.push_back({visitor.socket.get(), POLLIN, 0});
    }
    const int64_t left = std::max<int64_t>(deadline - now_ms(), 0);
    poll(entries.data(), entries.size(), again ? again_ms : static_cast<int>(left));
}

void Exchange::fail_late() const {
    std::string ranks;
    for (size_t i = 0; i < peers_.size(); ++i) {
        if (!received_[i]) {
            ranks += format("%s%d", ranks.empty() ? "" : ", ", peers_[i]);
        }
    }
    for (const Call &call : calls_) {
        ranks += format("%s%d (does not answer)", ranks.empty() ? "" : ", ", call.peer);
    }
    fail(XCOLL_ERR_BOOTSTRAP, "rank %d waited %d s in vain for the descriptors of its peers on this machine: rank %s",
         rank_, static_cast<int>(limit_ms / 1000), ranks.c_str());
}

} // namespace

Door::Door() : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    if (!socket_) {
        fail_system("socket(AF_UNIX)");
    }
    fill_random(&plate_, sizeof plate_);
    sockaddr_un address;
    const socklen_t bytes = make_address(plate_, address);
    if (bind(socket_.get(), reinterpret_cast<const sockaddr *>(&address), bytes) != 0) {
        fail_system("bind(AF_UNIX)");
    }
    if (listen(socket_.get(), waiting_connections) != 0) {
        fail_system("listen(AF_UNIX)");
    }
}

void exchange_over(const Door &door, int rank, int mine, const std::vector<int> &peers,
                   const std::vector<Doorplate> &plates, const TakeDescriptor &take) {
    Exchange(door, rank, mine, peers, plates, take).run();
}

} // namespace xcoll

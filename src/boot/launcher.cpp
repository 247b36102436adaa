#include <algorithm>
#include <fcntl.h>
#include <poll.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "boot/boot.h"
#include "boot/environment.h"
#include "boot/launcher_protocol.h"

namespace xcoll {

namespace {

using launcher::Header;
using launcher::Kind;

constexpr int greeting_seconds = 60; // the launcher answers at once; it may have been stopped together with us

constexpr const char *who_sets_them = "xcollrun sets it, leave it alone";

int socket_option(int number, int option) {
    int value = 0;
    socklen_t bytes = sizeof value;
    return getsockopt(number, SOL_SOCKET, option, &value, &bytes) == 0 ? value : -1;
}

// Before a byte is written: the number may by now belong to something else.
void check_control_socket(int number) {
    if (fcntl(number, F_GETFD) < 0) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "%s=%d, but descriptor %d is not open: something between xcollrun and this program closed it (or this "
             "program was started by a rank, not by xcollrun: then unset %s)",
             launcher::control_variable, number, number, launcher::control_variable);
    }
    if (socket_option(number, SO_DOMAIN) != AF_UNIX || socket_option(number, SO_TYPE) != SOCK_SEQPACKET) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "%s=%d, but descriptor %d is not a socket to xcollrun: something between xcollrun and this program "
             "replaced it (or this program was started by a rank, not by xcollrun: then unset %s)",
             launcher::control_variable, number, number, launcher::control_variable);
    }
    fcntl(number, F_SETFD, FD_CLOEXEC);
}

class LauncherBootstrap : public Bootstrap {
public:
    explicit LauncherBootstrap(int socket) : socket_(socket), packet_(launcher::packet_limit) {
        greet();
    }
    int rank() const override {
        return rank_;
    }
    int size() const override {
        return size_;
    }
    std::string how() const override {
        return "xcollrun";
    }
    void allgather(const void *send, void *recv, size_t bytes) override;
    void exchange_descriptors(int mine, const std::vector<int> &peers, const TakeDescriptor &take) override;

private:
    struct Arrived {
        Header header;
        const char *data; // in packet_
        std::vector<Descriptor> descriptors;
    };

    void greet();
    void send(Kind kind, const void *data, size_t bytes, const int *descriptor);
    // The next packet, whatever its kind.
    Arrived receive(int64_t deadline);
    // The next packet, which must be the part of such a message that begins at `offset`.
    Arrived receive_part(Kind kind, uint64_t total, uint64_t offset);
    void wait(short events, int64_t deadline);
    [[noreturn]] void fail_lost() const;

    int socket_; // stays open after us: the next bootstrap of this process uses it again
    int rank_ = -1, size_ = 0;
    std::vector<char> packet_;
};

void LauncherBootstrap::fail_lost() const {
    const std::string me = rank_ < 0 ? "a rank that was yet to be told its number" : format("rank %d", rank_);
    fail(XCOLL_ERR_BOOTSTRAP, "%s lost its connection to xcollrun: the launcher has ended", me.c_str());
}

void LauncherBootstrap::wait(short events, int64_t deadline) {
    pollfd entry = {socket_, events, 0};
    // The kernel has no event for "descriptors on their way have arrived": look again after a moment.
    int patience = (events & POLLOUT) != 0 ? 5 : -1;
    if (deadline > 0) {
        patience = static_cast<int>(std::max<int64_t>(0, deadline - now_ms()));
    }
    if (poll(&entry, 1, patience) < 0 && errno != EINTR) {
        fail_system("poll");
    }
    if (deadline > 0 && now_ms() > deadline && entry.revents == 0) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "no answer from xcollrun within %d s over descriptor %d (%s): is it still a socket to the launcher?",
             greeting_seconds, socket_, launcher::control_variable);
    }
}

void LauncherBootstrap::send(Kind kind, const void *data, size_t bytes, const int *descriptor) {
    size_t offset = 0;
    do {
        const size_t part = std::min(bytes - offset, launcher::packet_data);
        const Header header = {launcher::magic,
                               launcher::version,
                               kind,
                               bytes,
                               offset,
                               static_cast<uint32_t>(part),
                               descriptor != nullptr ? 1U : 0U};
        const char *body = static_cast<const char *>(data) + offset;
        if (send_packet(socket_, &header, sizeof header, body, part, descriptor, header.descriptors)) {
            offset += part;
            if (offset == bytes) {
                return;
            }
        } else if (errno == EAGAIN) {
            wait(POLLOUT, 0);
        } else if (errno == EPIPE || errno == ECONNRESET) {
            fail_lost();
        } else {
            fail_system("sendmsg to xcollrun");
        }
    } while (true);
}

LauncherBootstrap::Arrived LauncherBootstrap::receive(int64_t deadline) {
    Packet packet = receive_packet(socket_, packet_.data(), packet_.size());
    while (packet.bytes < 0 && errno == EAGAIN) {
        wait(POLLIN, deadline);
        packet = receive_packet(socket_, packet_.data(), packet_.size());
    }
    if (packet.bytes <= 0) {
        fail_lost();
    }
    Header header{};
    std::memcpy(&header, packet_.data(), std::min(static_cast<size_t>(packet.bytes), sizeof header));
    if (header.magic == launcher::magic && header.version != launcher::version) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "this xcollrun speaks version %d of the launcher's protocol, the library of rank %d version %d: use "
             "xcollrun and libxcoll of one installation",
             header.version, rank_, launcher::version);
    }
    if (!packet.whole && header.magic == launcher::magic && packet.descriptors.size() < header.descriptors) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "rank %d received %zu of %u descriptors: too many open files; raise the limit (ulimit -n)", rank_,
             packet.descriptors.size(), header.descriptors);
    }
    if (header.magic != launcher::magic || !packet.whole ||
        static_cast<size_t>(packet.bytes) != sizeof header + header.bytes) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d received %zd bytes that xcollrun does not send over descriptor %d (%s)",
             rank_, packet.bytes, socket_, launcher::control_variable);
    }
    if (header.kind == Kind::ended) {
        fail(XCOLL_ERR_BOOTSTRAP, "xcollrun ended the job: %.*s", static_cast<int>(header.bytes),
             packet_.data() + sizeof header);
    }
    return {header, packet_.data() + sizeof header, std::move(packet.descriptors)};
}

LauncherBootstrap::Arrived LauncherBootstrap::receive_part(Kind kind, uint64_t total, uint64_t offset) {
    Arrived arrived = receive(0);
    const Header &header = arrived.header;
    if (header.kind != kind || header.total != total || header.offset != offset ||
        (kind == Kind::gathered ? header.bytes : header.descriptors) > total - offset ||
        arrived.descriptors.size() != header.descriptors) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "rank %d expected byte or descriptor %llu of %llu in an answer of kind %d from xcollrun, but got %llu of "
             "%llu of kind %d: does another thread or a child of this process use the same socket?",
             rank_, static_cast<unsigned long long>(offset), static_cast<unsigned long long>(total),
             static_cast<int>(kind), static_cast<unsigned long long>(header.offset),
             static_cast<unsigned long long>(header.total), static_cast<int>(header.kind));
    }
    return arrived;
}

void LauncherBootstrap::greet() {
    launcher::Hello hello{};
    fill_random(&hello, sizeof hello);
    send(Kind::hello, &hello, sizeof hello, nullptr);
    const int64_t deadline = now_ms() + greeting_seconds * 1000;
    launcher::Welcome welcome{};
    // What comes before was meant for an earlier program of this rank, which ended while it waited.
    while (welcome.nonce != hello.nonce || welcome.size == 0) {
        const Arrived arrived = receive(deadline);
        if (arrived.header.kind == Kind::welcome && arrived.header.bytes == sizeof welcome) {
            std::memcpy(&welcome, arrived.data, sizeof welcome);
        }
    }
    rank_ = welcome.rank;
    size_ = welcome.size;
    if (size_ < 1 || size_ > launcher::most_ranks || rank_ < 0 || rank_ >= size_) {
        fail(XCOLL_ERR_BOOTSTRAP, "xcollrun says that this is rank %d of %d, which cannot be", rank_, size_);
    }
    const int named_rank = environment_number(launcher::rank_variable, who_sets_them).value_or(rank_);
    const int named_size = environment_number(launcher::size_variable, who_sets_them).value_or(size_);
    if (named_rank != rank_ || named_size != size_) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "the environment says rank %d of %d, xcollrun says rank %d of %d: %s and %s were changed after the start",
             named_rank, named_size, rank_, size_, launcher::rank_variable, launcher::size_variable);
    }
}

void LauncherBootstrap::allgather(const void *mine, void *recv, size_t bytes) {
    const size_t total = bytes * static_cast<size_t>(size_);
    if (bytes > launcher::contribution_limit || total > launcher::gathered_limit) {
        fail(XCOLL_ERR_INTERNAL, "rank %d tried to gather %zu bytes from each of %d ranks through xcollrun", rank_,
             bytes, size_);
    }
    send(Kind::allgather, mine, bytes, nullptr);
    size_t offset = 0;
    do {
        const Arrived part = receive_part(Kind::gathered, total, offset);
        if (part.header.bytes > 0) {
            std::memcpy(static_cast<char *>(recv) + offset, part.data, part.header.bytes);
        }
        offset += part.header.bytes;
    } while (offset < total);
}

void LauncherBootstrap::exchange_descriptors(int mine, const std::vector<int> &peers, const TakeDescriptor &take) {
    std::vector<int32_t> list(peers.begin(), peers.end());
    send(Kind::descriptors, list.data(), list.size() * sizeof(int32_t), list.empty() ? nullptr : &mine);
    size_t received = 0;
    do {
        Arrived part = receive_part(Kind::delivered, list.size(), received);
        for (Descriptor &descriptor : part.descriptors) {
            take(received++, std::move(descriptor));
        }
    } while (received < list.size());
}

} // namespace

std::unique_ptr<Bootstrap> boot_launcher() {
    const auto number = environment_number(launcher::control_variable, who_sets_them);
    if (!number) {
        return nullptr;
    }
    check_control_socket(*number);
    return std::make_unique<LauncherBootstrap>(*number);
}

} // namespace xcoll

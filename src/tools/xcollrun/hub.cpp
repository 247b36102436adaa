#include "tools/xcollrun/hub.h"

#include <algorithm>

namespace xcoll::launcher {

using std::to_string;

namespace {

constexpr int packets_at_a_time = 64; // of one rank, before the others have their turn
constexpr size_t longest_queue = 16;  // a rank that reads its answers has two at most

const char *kind_name(Kind kind) {
    return kind == Kind::descriptors ? "exchange of descriptors" : "allgather";
}

} // namespace

Hub::Hub(std::vector<Descriptor> sockets) : members_(sockets.size()), packet_(packet_limit) {
    for (size_t rank = 0; rank < sockets.size(); ++rank) {
        members_[rank].socket = std::move(sockets[rank]);
    }
}

pollfd Hub::poll_entry(int rank) const {
    const Member &from = members_[static_cast<size_t>(rank)];
    const bool sending = !from.queue.empty() && !from.stalled;
    const int events = (sending ? POLLOUT : 0) | (from.refused ? 0 : POLLIN);
    return {events != 0 ? from.socket.get() : -1, static_cast<short>(events), 0};
}

bool Hub::stalled() const {
    return std::any_of(members_.begin(), members_.end(), [](const Member &to) { return to.stalled; });
}

void Hub::retry() {
    for (int rank = 0; rank < size(); ++rank) {
        if (member(rank).stalled) {
            flush(rank);
        }
    }
}

void Hub::serve(int rank, short events) {
    Member &from = member(rank);
    if ((events & POLLOUT) != 0) {
        flush(rank);
    }
    if ((events & (POLLIN | POLLHUP | POLLERR)) == 0) {
        return;
    }
    for (int packets = 0; packets < packets_at_a_time && from.socket && !from.refused; ++packets) {
        Packet packet = receive_packet(from.socket.get(), packet_.data(), packet_.size());
        if (packet.bytes < 0 && errno == EAGAIN) {
            return;
        }
        if (packet.bytes <= 0) {
            return hang_up(rank);
        }
        take_packet(rank, packet);
    }
}

void Hub::hang_up(int rank) {
    Member &from = member(rank);
    from.socket.reset();
    from.queue.clear();
    from.stalled = false;
    if (from.started && !from.finished) {
        withdraw(from);
    }
}

void Hub::blame(int rank, std::string text) {
    if (!trouble_) {
        trouble_ = Trouble{rank, std::move(text)};
    }
    // It is still told why the job ends.
    member(rank).refused = true;
}

std::optional<Trouble> Hub::deserter() const {
    if (round_.finished == 0 || ended_) {
        return std::nullopt;
    }
    for (size_t rank = 0; rank < members_.size(); ++rank) {
        if (members_[rank].socket || members_[rank].finished) {
            continue;
        }
        std::string waiting;
        int named = 0;
        for (size_t other = 0; other < members_.size(); ++other) {
            if (members_[other].finished && ++named <= 4) {
                waiting += (named > 1 ? ", " : "") + to_string(other);
            }
        }
        if (named > 4) {
            waiting += " and " + to_string(named - 4) + " more";
        }
        return Trouble{static_cast<int>(rank), "rank " + waiting + (named > 1 ? " wait" : " waits") +
                                                   " for it in xcoll_init or xcoll_comm_create, which every rank must "
                                                   "call equally often"};
    }
    return std::nullopt;
}

void Hub::end(const std::string &why) {
    if (ended_) {
        return;
    }
    ended_ = std::make_shared<Bytes>(why.begin(),
                                     why.begin() + static_cast<std::ptrdiff_t>(std::min(why.size(), packet_data)));
    for (int rank = 0; rank < size(); ++rank) {
        post(rank, {Kind::ended, ended_, nullptr});
    }
}

void Hub::take_packet(int rank, Packet &packet) {
    Header header{};
    const auto bytes = static_cast<size_t>(packet.bytes);
    std::memcpy(&header, packet_.data(), std::min(bytes, sizeof header));
    if (bytes < sizeof header || header.magic != magic) {
        return blame(rank, "wrote " + to_string(packet.bytes) + " bytes to its control socket (" + control_variable +
                               ") that are not xcoll's");
    }
    // A library of another version reads only the version of the answer, and says so in the rank's own name.
    if (header.version != version) {
        return post(rank, {Kind::welcome, std::make_shared<Bytes>(), nullptr});
    }
    if (!packet.whole || bytes != sizeof header + header.bytes || packet.descriptors.size() != header.descriptors) {
        return blame(rank, "sent a packet of " + to_string(packet.bytes) + " bytes and " +
                               to_string(packet.descriptors.size()) + " descriptors that announces " +
                               to_string(header.bytes) + " and " + to_string(header.descriptors) +
                               (packet.whole ? "" : " (or the open files ran out: ulimit -n)"));
    }
    if (ended_ && header.kind != Kind::hello) {
        return post(rank, {Kind::ended, ended_, nullptr});
    }
    switch (header.kind) {
    case Kind::hello:
        return welcome(rank, header);
    case Kind::allgather:
        return take_bytes(rank, header);
    case Kind::descriptors:
        return take_descriptor(rank, header, packet);
    default:
        return blame(rank,
                     "sent a packet of kind " + to_string(static_cast<int>(header.kind)) + ", which no rank sends");
    }
}

void Hub::welcome(int rank, const Header &header) {
    Hello hello;
    if (header.bytes != sizeof hello || header.total != sizeof hello || header.offset != 0) {
        return blame(rank, "sent a greeting of " + to_string(header.bytes) + " bytes");
    }
    std::memcpy(&hello, packet_.data() + sizeof header, sizeof hello);
    // What an earlier program of this rank had begun died with it.
    withdraw(member(rank));
    const Welcome answer = {hello.nonce, rank, size()};
    const char *bytes = reinterpret_cast<const char *>(&answer);
    post(rank, {Kind::welcome, std::make_shared<Bytes>(bytes, bytes + sizeof answer), nullptr});
}

void Hub::withdraw(Member &from) {
    round_.started -= from.started ? 1 : 0;
    round_.finished -= from.finished ? 1 : 0;
    from.started = from.finished = false;
    from.received = 0;
    from.descriptor.reset();
    from.group = -1;
    if (round_.started == 0) {
        round_ = {};
    }
}

// True if this contribution fits what the other ranks contribute to.
bool Hub::start(int rank, const Header &header) {
    Member &from = member(rank);
    if (from.finished) {
        blame(rank, "contributed twice to the same " + std::string(kind_name(round_.kind)));
        return false;
    }
    if (from.started) {
        return true;
    }
    const bool bytes = header.kind == Kind::allgather;
    if (round_.started == 0) {
        if (bytes && (header.total > contribution_limit || header.total * members_.size() > gathered_limit)) {
            blame(rank, "wants to gather " + to_string(header.total) + " bytes from each rank");
            return false;
        }
        round_.kind = header.kind;
        round_.first = rank;
        round_.total = bytes ? header.total : 0;
        if (bytes) {
            round_.data = std::make_shared<Bytes>(header.total * members_.size());
        }
    } else if (header.kind != round_.kind || (bytes && header.total != round_.total)) {
        blame(rank, "is in an " + std::string(kind_name(header.kind)) + " of " + to_string(header.total) +
                        " bytes, but rank " + to_string(round_.first) + " in an " + kind_name(round_.kind) + " of " +
                        to_string(round_.total) + ": every rank must make the same calls in the same order");
        return false;
    }
    from.started = true;
    ++round_.started;
    return true;
}

void Hub::finish(Member &by) {
    by.finished = true;
    if (++round_.finished < size()) {
        return;
    }
    if (round_.kind == Kind::allgather) {
        answer_gathered();
    } else {
        answer_descriptors();
    }
    for (Member &each : members_) {
        withdraw(each);
    }
}

void Hub::take_bytes(int rank, const Header &header) {
    Member &from = member(rank);
    if (!start(rank, header)) {
        return;
    }
    if (header.total != round_.total || header.offset != from.received || header.bytes > header.total - header.offset ||
        header.descriptors != 0 || (header.bytes == 0 && header.total != 0)) {
        return blame(rank, "sent bytes " + to_string(header.offset) + " to " + to_string(header.offset + header.bytes) +
                               " of " + to_string(header.total) + " after the first " + to_string(from.received));
    }
    std::copy_n(packet_.data() + sizeof header, header.bytes,
                round_.data->data() + static_cast<size_t>(rank) * round_.total + from.received);
    from.received += header.bytes;
    if (from.received == round_.total) {
        finish(from);
    }
}

void Hub::take_descriptor(int rank, const Header &header, Packet &packet) {
    Member &from = member(rank);
    if (!start(rank, header)) {
        return;
    }
    std::vector<int32_t> peers(header.bytes / sizeof(int32_t));
    if (!peers.empty()) {
        std::memcpy(peers.data(), packet_.data() + sizeof header, peers.size() * sizeof peers[0]);
    }
    const bool ascending = std::is_sorted(peers.begin(), peers.end(), std::less_equal<int32_t>());
    if (header.total != header.bytes || header.offset != 0 || header.bytes % sizeof(int32_t) != 0 || !ascending ||
        packet.descriptors.size() != (peers.empty() ? 0 : 1) ||
        (!peers.empty() &&
         (peers.front() < 0 || peers.back() >= size() || !std::binary_search(peers.begin(), peers.end(), rank)))) {
        return blame(rank, "sent a list of " + to_string(peers.size()) + " peers with " +
                               to_string(packet.descriptors.size()) + " descriptors that is not a list of ranks");
    }
    if (!peers.empty()) {
        from.group = peers.front();
        from.descriptor = std::move(packet.descriptors.front());
        const auto [group, is_new] = round_.groups.try_emplace(from.group, std::move(peers));
        // try_emplace leaves the list alone if there is one already.
        if (!is_new && group->second != peers) {
            return blame(rank, "exchanges descriptors with other ranks than its peers do: is it on the same machine?");
        }
    }
    finish(from);
}

void Hub::answer_gathered() {
    for (int rank = 0; rank < size(); ++rank) {
        post(rank, {Kind::gathered, round_.data, nullptr});
    }
}

void Hub::answer_descriptors() {
    std::map<int, std::shared_ptr<Descriptors>> collected;
    for (const auto &[first, peers] : round_.groups) {
        auto descriptors = std::make_shared<Descriptors>();
        for (const int32_t peer : peers) {
            if (member(peer).group != first) {
                return blame(peer,
                             "does not exchange descriptors with rank " + to_string(first) + ", which expects it");
            }
            descriptors->push_back(std::move(member(peer).descriptor));
        }
        collected[first] = std::move(descriptors);
    }
    const auto none = std::make_shared<Descriptors>();
    for (int rank = 0; rank < size(); ++rank) {
        const auto found = collected.find(member(rank).group);
        post(rank, {Kind::delivered, nullptr, found != collected.end() ? found->second : none});
    }
}

void Hub::post(int rank, Message message) {
    Member &to = member(rank);
    if (!to.socket) {
        return;
    }
    if (to.queue.size() == longest_queue) {
        return blame(rank, "asks without reading the answers");
    }
    to.queue.push_back(std::move(message));
    flush(rank);
}

void Hub::flush(int rank) {
    Member &to = member(rank);
    to.stalled = false;
    for (int packets = 0; packets < packets_at_a_time && to.socket && !to.queue.empty(); ++packets) {
        if (send_part(to)) {
            continue;
        }
        if (errno != EAGAIN) {
            return hang_up(rank);
        }
        // There may be room in the socket and yet too many descriptors on their way: poll would return at once.
        to.stalled = to.queue.front().descriptors != nullptr;
        return;
    }
}

bool Hub::send_part(Member &to) {
    Message &message = to.queue.front();
    Header header = {magic, version, message.kind, 0, message.sent, 0, 0};
    size_t part;
    bool sent;
    if (message.descriptors) {
        header.total = message.descriptors->size();
        part = std::min(header.total - message.sent, packet_descriptors_limit);
        header.descriptors = static_cast<uint32_t>(part);
        int numbers[packet_descriptors_limit];
        for (size_t i = 0; i < part; ++i) {
            numbers[i] = (*message.descriptors)[message.sent + i].get();
        }
        sent = send_packet(to.socket.get(), &header, sizeof header, nullptr, 0, numbers, part);
    } else {
        header.total = message.data->size();
        part = std::min(header.total - message.sent, packet_data);
        header.bytes = static_cast<uint32_t>(part);
        sent =
            send_packet(to.socket.get(), &header, sizeof header, message.data->data() + message.sent, part, nullptr, 0);
    }
    if (!sent) {
        return false;
    }
    message.sent += part;
    if (message.sent == header.total) {
        to.queue.pop_front();
    }
    return true;
}

} // namespace xcoll::launcher

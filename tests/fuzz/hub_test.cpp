// The launcher, whose ranks may write anything to their sockets.
#include "fuzz/launcher_packets.h"

#include <array>

// The launcher is no part of the library.
#include "tools/xcollrun/hub.cpp"

namespace xcoll::fuzz {

using launcher::Hello;
using launcher::Hub;
using launcher::Kind;

namespace {

constexpr int ranks = 2;

class Job {
public:
    Job() : hub_(ends()) {
    }
    void hear(const Packed &packet, std::string_view body) {
        const int rank = packet.socket % ranks;
        write_packet(pairs_[static_cast<size_t>(rank)].theirs.get(), packet, body);
        serve(rank);
        read_answers();
    }
    // Whatever they wrote, those who wait hear of the end.
    void end() {
        hub_.end("the job is over");
        for (int rank = 0; rank < ranks; ++rank) {
            pairs_[static_cast<size_t>(rank)].theirs.reset();
            serve(rank);
        }
        hub_.deserter();
    }

private:
    std::vector<Descriptor> ends() {
        std::vector<Descriptor> all;
        for (Pair &pair : pairs_) {
            all.push_back(std::move(pair.ours));
        }
        return all;
    }
    void serve(int rank) {
        if (hub_.poll_entry(rank).fd >= 0) {
            hub_.serve(rank, POLLIN | POLLOUT);
        }
        if (const auto &trouble = hub_.trouble()) {
            must(trouble->rank >= 0 && trouble->rank < ranks, "somebody is to blame");
            must(!trouble->text.empty(), "who is to blame is told for what");
        }
    }
    void read_answers() {
        std::array<char, launcher::packet_limit> answer;
        for (Pair &pair : pairs_) {
            for (Packet packet; (packet = receive_packet(pair.theirs.get(), answer.data(), answer.size())).bytes > 0;) {
                must(packet.whole && static_cast<size_t>(packet.bytes) >= sizeof(launcher::Header),
                     "an answer is whole");
            }
        }
    }

    std::array<Pair, ranks> pairs_;
    Hub hub_;
};

} // namespace

void feed(std::string_view input) {
    Job job;
    Packed packet;
    std::string_view body;
    while (take_packet(input, packet, body)) {
        job.hear(packet, body);
    }
    job.end();
}

std::vector<std::string> seeds() {
    const auto hello = [](uint8_t rank) {
        return packed(rank, 0, Kind::hello, sizeof(Hello), 0, bytes_of(Hello{rank + 1ull}));
    };
    const auto gather = [](uint8_t rank, uint64_t total, uint64_t offset, const std::string &data) {
        return packed(rank, 0, Kind::allgather, total, offset, data);
    };
    const auto list = [](uint8_t rank, std::initializer_list<int32_t> peers) {
        std::string data;
        for (const int32_t peer : peers) {
            data += bytes_of(peer);
        }
        return packed(rank, peers.size() > 0 ? 1 : 0, Kind::descriptors, data.size(), 0, data);
    };
    return {hello(0) + hello(1) + gather(0, 8, 0, "12345678") + gather(1, 8, 0, "abcd") + gather(1, 8, 4, "efgh"),
            list(0, {0, 1}) + list(1, {0, 1}),
            list(0, {0}) + list(1, {}),
            list(0, {0, 1}) + list(1, {1}),
            gather(0, 0, 0, "") + gather(1, 0, 0, ""),
            gather(0, uint64_t{1} << 20, 0, "x") + hello(0) + gather(1, 1, 0, "x"),
            gather(0, ~uint64_t{0}, 0, ""),
            bytes_of(Packed{0, 3, 5}) + "hello"};
}

} // namespace xcoll::fuzz

// A rank under a launcher: what comes over the socket may be another program's.
#include "fuzz/launcher_packets.h"

#include <cstdlib>
#include <sys/random.h>

#include "base/error.h"
#include "boot/boot.h"

// The greeting's nonce is the same every time, so that an input can answer it.
extern "C" ssize_t getrandom(void *bytes, size_t count, unsigned) {
    std::memset(bytes, 'n', count);
    return static_cast<ssize_t>(count);
}

namespace xcoll::fuzz {

using launcher::Kind;
using launcher::Welcome;

namespace {

constexpr int most_ranks_that_gather = 64; // each brings a few bytes
constexpr size_t bytes_of_each = 6;

// All that the library does with a launcher. Who expects more than came finds that the launcher has ended.
void start() {
    const auto boot = boot_launcher();
    const int rank = boot->rank(), size = boot->size();
    must(rank >= 0 && rank < size, "a rank is one of its job");
    if (size > most_ranks_that_gather) {
        return;
    }
    std::vector<char> all(static_cast<size_t>(size) * bytes_of_each);
    boot->allgather("123456", all.data(), bytes_of_each);
    std::vector<int> peers;
    for (int peer = 0; peer < size; ++peer) {
        peers.push_back(peer);
    }
    size_t received = 0;
    boot->exchange_descriptors(STDERR_FILENO, peers, [&](size_t place, const Descriptor &theirs) {
        must(place == received++ && theirs, "the descriptors come in the order of the peers");
    });
    must(received == peers.size(), "there is a descriptor of each peer");
}

} // namespace

void feed(std::string_view input) {
    Pair pair;
    setenv(launcher::control_variable, std::to_string(pair.ours.get()).c_str(), 1);
    Packed packet;
    std::string_view body;
    while (take_packet(input, packet, body)) {
        write_packet(pair.theirs.get(), packet, body);
    }
    shutdown(pair.theirs.get(), SHUT_WR);
    try {
        start();
    } catch (const Failure &failure) {
        must(failure.result() == XCOLL_ERR_BOOTSTRAP, "a launcher that talks nonsense is an error of the start");
        must(!failure.message().empty(), "the error says why");
    }
}

std::vector<std::string> seeds() {
    const auto welcome = [](int32_t rank, int32_t size) {
        Welcome word{0, rank, size};
        std::memset(&word.nonce, 'n', sizeof word.nonce);
        return packed(0, 0, Kind::welcome, sizeof word, 0, bytes_of(word));
    };
    const std::string gathered = packed(0, 0, Kind::gathered, 12, 0, "123456abcdef");
    const auto delivered = [](uint8_t count, uint64_t offset) {
        return packed(0, count, Kind::delivered, 2, offset, "");
    };
    return {welcome(0, 2) + gathered + delivered(2, 0),
            welcome(1, 2) + packed(0, 0, Kind::gathered, 12, 0, "123456") +
                packed(0, 0, Kind::gathered, 12, 6, "abcdef") + delivered(1, 0) + delivered(1, 1),
            packed(0, 0, Kind::gathered, 0, 0, "") + welcome(0, 1) + packed(0, 0, Kind::gathered, 6, 0, "123456"),
            welcome(2, 2),
            welcome(0, 0),
            packed(0, 0, Kind::ended, 5, 0, "sorry"),
            welcome(0, 2) + packed(0, 0, Kind::gathered, 12, 0, ""),
            welcome(0, 2) + gathered + delivered(0, 0),
            bytes_of(Packed{0, 2, 4}) + "XCLL"};
}

} // namespace xcoll::fuzz

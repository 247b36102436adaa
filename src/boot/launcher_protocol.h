// What a rank and xcollrun say to each other. The rank inherits one end of a Unix SOCK_SEQPACKET pair; each packet is
// a Header and at most `packet_data` bytes. A rank greets with `hello` as often as it likes (each bootstrap of each
// program that inherited the socket does) and is answered at once; then it sends contributions, one at a time, and
// each is answered when every rank has sent its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boot/packet.h"

namespace xcoll::launcher {

// The environment of a rank.
constexpr const char *control_variable = "XCOLL_CONTROL_FD";
constexpr const char *rank_variable = "XCOLL_RANK";
constexpr const char *size_variable = "XCOLL_SIZE";
constexpr const char *local_rank_variable = "XCOLL_LOCAL_RANK";
constexpr const char *local_size_variable = "XCOLL_LOCAL_SIZE";

constexpr uint32_t magic = 0x4c4c4358; // "XCLL"
constexpr uint16_t version = 2;        // of all that follows but for magic and version, which stay where they are

constexpr int most_ranks = 4096;
constexpr size_t packet_data = 32 * 1024;
constexpr size_t contribution_limit = 1024 * 1024;     // bytes that one rank may contribute at a time,
constexpr size_t gathered_limit = 256UL * 1024 * 1024; // and all ranks together

enum class Kind : uint16_t {
    hello = 1,   // rank: Hello
    welcome,     // launcher: Welcome
    allgather,   // rank: its `total` bytes, in as many packets as they need
    gathered,    // launcher: the bytes of all ranks in rank order, in as many packets as they need
    descriptors, // rank: the list of peers (int32_t each) in one packet, with its descriptor unless the list is empty
    delivered,   // launcher: descriptors of the peers, `offset` of `total` on
    ended,       // launcher: the job cannot go on; why, as text
};

struct Header {
    uint32_t magic;
    uint16_t version;
    Kind kind;
    uint64_t total;       // bytes (or, for `delivered`, descriptors) of the whole message
    uint64_t offset;      // of this packet in it
    uint32_t bytes;       // that follow in this packet
    uint32_t descriptors; // attached to this packet
};
static_assert(sizeof(Header) == 32);

constexpr size_t packet_limit = sizeof(Header) + packet_data;

struct Hello {
    uint64_t nonce; // comes back in the Welcome: tells it from one that an earlier program did not read
};

struct Welcome {
    uint64_t nonce;
    int32_t rank;
    int32_t size;
};

} // namespace xcoll::launcher

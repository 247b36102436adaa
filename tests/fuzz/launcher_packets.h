// Packets between a rank and its launcher, as inputs of fuzz targets have them: a head of our own that says which
// socket, how many bytes and how many descriptors, then the bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>

#include "boot/launcher_protocol.h"
#include "fuzz/target.h"

namespace xcoll::fuzz {

struct Pair {
    Pair() {
        int ends[2];
        must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
        ours = Descriptor(ends[0]);
        theirs = Descriptor(ends[1]);
    }
    Descriptor ours, theirs;
};

struct Packed {
    uint8_t socket, descriptors;
    uint16_t bytes;
};

// Takes one from the front of an input; false at its end.
inline bool take_packet(std::string_view &input, Packed &packed, std::string_view &body) {
    if (input.size() < sizeof packed) {
        return false;
    }
    std::memcpy(&packed, input.data(), sizeof packed);
    body = input.substr(sizeof packed, packed.bytes);
    input.remove_prefix(sizeof packed + body.size());
    return true;
}

// As many descriptors as it says, up to three; they are of the socket itself.
inline void write_packet(int socket, const Packed &packed, std::string_view body) {
    const int descriptors[3] = {socket, socket, socket};
    send_packet(socket, body.data(), body.size(), nullptr, 0, descriptors, packed.descriptors % 4);
}

inline std::string packed(uint8_t socket, uint8_t descriptors, launcher::Kind kind, uint64_t total, uint64_t offset,
                          const std::string &data) {
    const launcher::Header header = {
        launcher::magic, launcher::version, kind, total, offset, static_cast<uint32_t>(data.size()), descriptors};
    const Packed head = {socket, descriptors, static_cast<uint16_t>(sizeof header + data.size())};
    return bytes_of(head) + bytes_of(header) + data;
}

} // namespace xcoll::fuzz

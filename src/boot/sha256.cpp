#include "boot/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "boot/secret.h"

namespace xcoll {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

uint32_t read_big_endian(const uint8_t *from) {
    return uint32_t{from[0]} << 24 | uint32_t{from[1]} << 16 | uint32_t{from[2]} << 8 | from[3];
}

template <class Number> void write_big_endian(uint8_t *to, Number value) {
    for (size_t i = 0; i < sizeof value; ++i) {
        to[i] = static_cast<uint8_t>(value >> (8 * (sizeof value - 1 - i)));
    }
}

// What a block becomes before it is mixed in: sixteen words of its own and 48 that follow from them.
using Schedule = Secret<std::array<uint32_t, 64>>;

Schedule schedule(const uint8_t *block) {
    Schedule words;
    for (size_t i = 0; i < 16; ++i) {
        words[i] = read_big_endian(block + 4 * i);
    }
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t far = words[i - 15], near = words[i - 2];
        const uint32_t small0 = std::rotr(far, 7) ^ std::rotr(far, 18) ^ far >> 3;
        const uint32_t small1 = std::rotr(near, 17) ^ std::rotr(near, 19) ^ near >> 10;
        words[i] = words[i - 16] + small0 + words[i - 7] + small1;
    }
    return words;
}

} // namespace

void Sha256::take_block(const uint8_t *block) {
    const Schedule words = schedule(block);
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t large1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const uint32_t choice = (e & f) ^ (~e & g);
        const uint32_t first = h + large1 + choice + round_constants[i] + words[i];
        const uint32_t large0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + large0 + majority;
    }
    const uint32_t mixed[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < state_.size(); ++i) {
        state_[i] += mixed[i];
    }
}

Sha256::~Sha256() {
    explicit_bzero(state_.data(), sizeof state_);
    explicit_bzero(block_.data(), sizeof block_);
}

Sha256 &Sha256::add(const void *data, size_t bytes) {
    const auto *from = static_cast<const uint8_t *>(data);
    while (bytes > 0) {
        const size_t filled = bytes_ % block_bytes;
        const size_t part = std::min(bytes, block_bytes - filled);
        std::memcpy(block_.data() + filled, from, part);
        if (filled + part == block_bytes) {
            take_block(block_.data());
        }
        bytes_ += part;
        from += part;
        bytes -= part;
    }
    return *this;
}

Hash Sha256::finish() {
    uint8_t length[8];
    write_big_endian(length, bytes_ * 8);
    const uint8_t mark = 0x80, zero = 0;
    add(&mark, 1);
    while (bytes_ % block_bytes != block_bytes - sizeof length) {
        add(&zero, 1);
    }
    add(length, sizeof length);
    Hash hash;
    for (size_t i = 0; i < state_.size(); ++i) {
        write_big_endian(hash.data() + 4 * i, state_[i]);
    }
    return hash;
}

Hmac::Hmac(const void *key, size_t bytes) {
    Secret<std::array<uint8_t, Sha256::block_bytes>> padded{};
    if (bytes > padded.size()) {
        const Secret<Hash> shorter{Sha256().add(key, bytes).finish()};
        std::copy(shorter.begin(), shorter.end(), padded.begin());
    } else if (bytes > 0) {
        std::memcpy(padded.data(), key, bytes);
    }
    const auto keyed = [&](uint8_t pad) {
        auto block = padded;
        for (uint8_t &byte : block) {
            byte ^= pad;
        }
        return Sha256().add(block.data(), block.size());
    };
    inner_ = keyed(0x36);
    outer_ = keyed(0x5c);
}

Hash Hmac::finish() {
    const Secret<Hash> inside{inner_.finish()};
    return outer_.add(inside.data(), inside.size()).finish();
}

bool equal_in_constant_time(const Hash &one, const Hash &other) {
    uint8_t difference = 0;
    for (size_t i = 0; i < one.size(); ++i) {
        difference = static_cast<uint8_t>(difference | (one[i] ^ other[i]));
    }
    return difference == 0;
}

} // namespace xcoll

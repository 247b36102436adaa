// SHA-256 (FIPS 180-4) and HMAC over it (FIPS 198-1), for the proofs by which ranks recognize each other where no
// crypto library opens (crypto.h). They are here because nothing else is everywhere: the library needs libc alone, and
// the kernel's AF_ALG is closed in many containers. The computation has no branch and no table index that depends on
// the data, and leaves nothing of it in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xcoll {

using Hash = std::array<uint8_t, 32>;

class Sha256 {
public:
    Sha256() = default;
    Sha256(const Sha256 &) = default;
    Sha256 &operator=(const Sha256 &) = default;
    ~Sha256();
    Sha256 &add(const void *data, size_t bytes);
    // Once, at the end.
    Hash finish();

    static constexpr size_t block_bytes = 64;

private:
    void take_block(const uint8_t *block);

    // The first 32 bits of the fractional parts of the square roots of the first eight primes.
    std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<uint8_t, block_bytes> block_{}; // what has not filled a block yet
    uint64_t bytes_ = 0;
};

class Hmac {
public:
    Hmac(const void *key, size_t bytes);
    explicit Hmac(const Hash &key) : Hmac(key.data(), key.size()) {
    }
    Hmac &add(const void *data, size_t bytes) {
        inner_.add(data, bytes);
        return *this;
    }
    // Once, at the end.
    Hash finish();

private:
    Sha256 inner_, outer_;
};

// Takes as long whether they are equal or not, so that nobody learns how much of a guess was right.
bool equal_in_constant_time(const Hash &one, const Hash &other);

} // namespace xcoll

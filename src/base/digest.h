// Many values as one number, where only equality is asked between ranks: FNV-1a, stirred so that the upper bits depend
// on every word as well.
#pragma once

#include <cstdint>
#include <string_view>

namespace xcoll {

class Digest {
public:
    Digest &add(uint64_t word) {
        value_ = (value_ ^ word) * prime;
        value_ ^= value_ >> 29;
        return *this;
    }
    Digest &add(std::string_view text) {
        for (const char letter : text) {
            value_ = (value_ ^ static_cast<unsigned char>(letter)) * prime;
        }
        return add(text.size());
    }
    uint64_t value() const {
        return value_;
    }
    // So many bits of it.
    uint32_t upper(int bits) const {
        return static_cast<uint32_t>(value_ * spread >> (64 - bits));
    }

private:
    static constexpr uint64_t prime = 0x100000001b3;
    static constexpr uint64_t spread = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio
    uint64_t value_ = 0xcbf29ce484222325;
};

} // namespace xcoll

// Random numbers that are the same everywhere: a seed that found a bug finds it again with any compiler and library.
#pragma once

#include <cstdint>

namespace xcoll::sim {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {
    }
    // SplitMix64: passes the usual tests, and every seed is a good one.
    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15u;
        uint64_t z = state_;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    // 0 .. bound - 1. The bias of the multiplication does not matter for bounds this small.
    uint64_t below(uint64_t bound) {
        return static_cast<uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
    }
    // low .. high
    uint64_t between(uint64_t low, uint64_t high) {
        return low + below(high - low + 1);
    }
    bool percent(unsigned chance) {
        return below(100) < chance;
    }
    // Small numbers and large ones equally often: 1 .. 2^bits - 1.
    uint64_t any_magnitude(unsigned bits) {
        const uint64_t top = uint64_t{1} << below(bits);
        return top + below(top);
    }

private:
    __extension__ using Wide = unsigned __int128;
    uint64_t state_;
};

} // namespace xcoll::sim

// What a rank brings along into each of its calls: how it rounds and treats denormal numbers, and how many numbers it
// has taken beside those of its calls. Every call takes a number of its communicator's, and so does every group; but a
// group that becomes several operations takes more. Ranks that call the same have taken as many; those whose groups did
// not match may not, and would take each other's next calls for the same one. So it is a part of what must match
// (base/op.h), and whoever has taken fewer passes some over to be in step again:
//
//     rank 0    group of two allreduces, joined: 1   (2: passed over)  |  next call: 3
//     rank 1    group of an allreduce: 1   and a broadcast: 2          |  next call: 3
//
// Rank 0 sees in the head of operation 1 that rank 1 takes two for this group, while it takes one itself.
//
//     | numbers beside those of calls, modulo 2^10 | floating-point mode, 4 bits |
#pragma once

#include <cstdint>

namespace xcoll {

class Stance {
public:
    static constexpr int mode_bits = 4, extra_bits = 10, bits = mode_bits + extra_bits;

    constexpr Stance() = default;
    static constexpr Stance of(uint64_t word) {
        Stance stance;
        stance.word_ = static_cast<uint16_t>(word & mask);
        return stance;
    }
    static constexpr Stance in_mode(uint8_t mode) {
        return of(mode);
    }
    constexpr uint16_t word() const {
        return word_;
    }
    constexpr uint8_t mode() const {
        return word_ & mode_mask;
    }
    constexpr void set_mode(uint8_t mode) {
        word_ = static_cast<uint16_t>((word_ & ~mode_mask) | mode);
    }
    // For what is no arithmetic on floats.
    constexpr Stance without_mode() const {
        return of(word_ & ~mode_mask);
    }
    constexpr void take_extra_numbers(uint64_t numbers) {
        *this = of(word_ + (numbers << mode_bits));
    }
    // How many numbers the other one has taken more: those that this one passes over. 0 if it has taken fewer.
    constexpr int behind(const Stance &other) const {
        constexpr int all = 1 << extra_bits;
        const int apart = ((other.word_ >> mode_bits) - (word_ >> mode_bits)) & (all - 1);
        return apart < all / 2 ? apart : 0;
    }
    constexpr bool is_in_step(const Stance &other) const {
        return without_mode() == other.without_mode();
    }
    bool operator==(const Stance &) const = default;

private:
    static constexpr unsigned mask = (1u << bits) - 1, mode_mask = (1u << mode_bits) - 1;
    uint16_t word_ = 0;
};

} // namespace xcoll

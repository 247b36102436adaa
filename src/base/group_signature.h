// What all ranks must agree on of calls that are joined in one operation, in the place of its root and its count. The
// calls themselves do not fit a head, but where they differ can be told.
//
//     count   | number of calls, 16 bits | 6 bits of each call, or of an eighth of the calls, eight times |
//     root    | 32 bits of all together                                                                   |
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/digest.h"
#include "base/op.h"

namespace xcoll {

class GroupSignature {
public:
    explicit GroupSignature(size_t calls) : calls_(calls) {
    }
    void add(const Fingerprint &call) {
        all_.add(call.what).add(call.count);
        parts_[part_of(added_++, calls_)].add(call.what).add(call.count);
    }
    void write(Op &op) const {
        op.signature = all_.upper(32) | 1; // 0 would be none
        op.count = std::min(calls_, most_calls);
        for (const Digest &part : parts_) {
            op.count = op.count << part_bits | part.upper(part_bits);
        }
    }

    // ---- of what was written
    static size_t calls(uint64_t count) {
        return static_cast<size_t>(count >> parts * part_bits);
    }
    // Which calls are the first to differ, counted from 1 on: the last one is 0 if that is not known.
    struct Stretch {
        size_t first, last;
    };
    static Stretch difference(uint64_t one, uint64_t other) {
        const size_t total = calls(one);
        for (size_t part = 0; total == calls(other) && total < most_calls && part < parts; ++part) {
            const size_t shift = (parts - 1 - part) * part_bits;
            if (((one ^ other) >> shift & part_mask) != 0) {
                return of_part(part, total);
            }
        }
        return {0, 0};
    }

private:
    static constexpr size_t parts = 8, part_bits = 6, most_calls = 0xffff;
    static constexpr uint64_t part_mask = (uint64_t{1} << part_bits) - 1;

    static size_t part_of(size_t call, size_t calls) {
        return calls <= parts ? call : call * parts / calls;
    }
    static Stretch of_part(size_t part, size_t calls) {
        size_t first = 0;
        while (part_of(first, calls) < part) {
            ++first;
        }
        size_t end = first;
        while (end < calls && part_of(end, calls) == part) {
            ++end;
        }
        return {first + 1, end};
    }

    size_t calls_, added_ = 0;
    Digest all_;
    std::array<Digest, parts> parts_;
};

} // namespace xcoll

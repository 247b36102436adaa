// Areas that two ranks hand to and fro with their messages: who has read a message keeps the area that it came in, and
// writes its own next one there.
//
//     rank 0   holds A | write A |                          | read A | holds A
//     rank 1   holds B |         | read A | holds A, B | write A |
//
// So a rank writes lines that it read last, which are in its own cache. Slots that two ranks swap (Window::slot) do
// that where both write at once; batons do where messages go one way at a time and the way changes, as with a broadcast
// and then a gather. Who only writes has none left after a message or two, and writes to places that rest longer. On a
// Zen 4 under one L3, with a broadcast by each of two ranks in turn, one of 1 KiB takes 0.15 us like this and 0.20
// without, one of 8 KiB 0.47 and 0.87, one of 64 KiB 2.9 and 3.9; across two L3s all are up to a tenth faster, or as
// fast.
//
// Safe without any credit, as an area has at most one holder, and only its holder writes there. It leaves with the head
// that tells of it, which its new holder acquires; it is held again when that message is read to its end, of which its
// writer has written everything by then, and touches nothing any more. A message that its reader leaves early takes its
// area along: nobody holds that again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace xcoll {

// As long as two wide slots (board.h). Broadcasts by two ranks in turn gain a quarter at 64 KiB, and a twentieth at
// this size.
inline constexpr size_t baton_bytes = size_t{256} << 10;

class Batons {
public:
    // None.
    Batons() = default;
    // Each rank begins with the one in its own segment.
    Batons(char *of_rank_0, char *of_rank_1, int rank)
        : areas_{of_rank_0, of_rank_1}, held_{first_place + static_cast<uint64_t>(rank)}, count_(1) {
    }
    // What a head tells instead of an offset in its owner's segment.
    static bool is_one(uint64_t place) {
        return place - first_place < most;
    }
    char *at(uint64_t place) const {
        return areas_[place - first_place];
    }
    // Of those that this rank holds the one that it has read last, for a message of so many bytes; it goes away with
    // that. 0: there is none, or none that is long enough.
    uint64_t give(size_t bytes) {
        return count_ > 0 && bytes <= baton_bytes ? held_[--count_] : 0;
    }
    // The message that came there has been read. Any other place is none of these.
    void keep(uint64_t place) {
        if (is_one(place)) {
            held_[count_++] = place;
        }
    }

private:
    static constexpr uint64_t first_place = 1; // 0 is a slot
    static constexpr size_t most = 2;

    char *areas_[most] = {};
    std::array<uint64_t, most> held_{};
    size_t count_ = 0;
};

} // namespace xcoll

// Places of short payloads that go one way between two ranks, in so few bytes that they come round while both caches
// have the lines at hand. Whoever only gives runs ahead of its reader, and each new place of a long ring is in a cache
// of the reader, far from where it is used: its lines are asked back one by one. Here writer and reader take turns:
//
//     | a | b | c | d | e | f | g | h |      the writer fills half of it in one go, while the reader reads the other;
//       ^ reads           ^ writes           one look at how far the reader is pays for all of that
//
// On a Zen 4 broadcasts from one root take, in us, through 8 KiB and through a ring of 2 MiB:
//
//     bytes            256    512    1 Ki   2 Ki         a loop of its own, of heads and places
//     under one L3     .01    .03    .07    .10
//       long ring      .05    .08    .15    .12 to .26
//     across two       .05    .20    .30    .53
//       long ring      .16    .31    .60    1.06
//
// Between so few and many bytes lies nothing good: through 32 to 512 KiB all of these take as long or longer.
//
// A place is free again when everyone has completed the operation that it was for, as a cell is. Who finds none lets
// its reader catch up (fabric/run_ahead.h), and takes the long ring for a while if that does not come: it waits for
// nobody.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric/places.h"

namespace xcoll {

class Window;

class ShortRing {
public:
    // Has no places.
    ShortRing() = default;
    // The bytes from `first` on, in the owner's segment.
    ShortRing(uint64_t first, size_t bytes) : first_(first), places_(bytes) {
    }
    // For a payload of operation n, free again when everyone is known to have completed that. 0: there is none now.
    uint64_t take(Window &window, uint64_t n, size_t bytes);

private:
    uint64_t take_free(const Window &window, uint64_t n, size_t bytes);

    // In 8 KiB of places of two lines and more.
    static constexpr size_t most = 64;
    // A reader that did not move is left alone for so many operations.
    static constexpr uint64_t patience = 16;

    struct Holder {
        uint64_t n;
    };
    uint64_t first_ = 0;
    Places<Holder, most> places_{0};
    uint64_t next_look_ = 0; // not before this operation
};

} // namespace xcoll

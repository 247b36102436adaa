// Places of short payloads that go one way between two ranks, in so few bytes that they come round while both caches
// have the lines at hand. Whoever only gives runs ahead of its reader, and each new place of a long ring is in a cache
// of the reader, far from where it is used: its lines are asked back one by one. Here writer and reader take turns:
//
//     | a | b | c | d | e | f | g | h |      the writer fills half of it in one go, while the reader reads the other;
//       ^ reads           ^ writes           one look at how far the reader is pays for all of that
//
// On a Zen 4 operations from one root take, in us, with the payload ring alone and with this (bench/results/one-root):
//
//     bytes                       256          512          1 Ki
//     broadcast, one L3           .10  .10     .15  .11     .16  .16
//     scatter, one L3             .14  .12     .20  .18     .24  .14
//     gather, one L3              .09  .10     .11  .13     .12  .16      its root has more to do, and is behind anyway
//     broadcast, two L3s          .37  .27     .58  .23     .75  .45
//     scatter, two L3s            .42  .32     .65  .55     .78  .39
//     gather, two L3s             .31  .31     .38  .50     .63  .38
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

    // As many as there are cells: more operations are never in flight.
    static constexpr size_t most = cell_count;
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

// The payload ring: one per rank, shared by all its communicators. Every message above the size of a slot takes fresh
// space behind the last one, so lines are rewritten only after a whole turn, when the peers' caches have long dropped
// them: rewriting a line that the other core has just read costs 6 ns under one L3 and 27 ns across two, any other 0.7.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fabric/places.h"

namespace xcoll {

class Window;

class Ring {
public:
    // [first, first + bytes) of the owner's segment.
    Ring(uint64_t first, size_t bytes) : first_(first), places_(bytes) {
    }
    // Space for operation n of a window, free again when everyone has completed n. 0 if there is none now: the caller
    // does not wait for it, since the operations that hold the ring may need this one to finish (see board.h,
    // has_room).
    uint64_t take(size_t bytes, const Window &window, uint64_t n);
    // Before a window goes away: nobody needs what it holds any more.
    void forget(const Window &window);
    size_t bytes() const {
        return places_.bytes();
    }

private:
    struct Holder {
        const Window *window; // nullptr: forgotten
        uint64_t n;
    };
    static constexpr size_t most_in_flight = 256;
    class Guard;

    uint64_t first_;
    Places<Holder, most_in_flight> places_;
    // Communicators may be driven by different threads; held for some 10 ns.
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

} // namespace xcoll

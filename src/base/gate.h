// How far a buffer is ready, for operations that follow each other chunk by chunk instead of as a whole.
//
//     in-gate    the prefix of my input that has been produced: an algorithm reads no byte behind it
//     out-gate   the prefix of my result that is final: a consumer reads no byte behind it
//
// A product that feeds a reduce-scatter raises its in-gate; an all-gather that feeds a product raises its out-gate; a
// stage of a group has its predecessor's out-gate as in-gate. A gate is a signal like every other, so waiting for one
// is co_await gate.open(bytes).
#pragma once

#include <cstddef>

#include "base/signal.h"

namespace xcoll {

struct Gate {
    const Signal *signal = nullptr; // nullptr: everything is ready
    uint64_t base = 0;              // what the signal stood at when the buffer was empty; it counts bytes from there

    bool is_open(size_t bytes) const {
        return !signal || signal->reached(base + bytes);
    }
    // What to wait for before bytes [0, bytes) are touched. Only for a gate with a signal.
    Until until(size_t bytes) const {
        return {signal, base + bytes, -1};
    }
};

// The writer's side of a gate.
class GateKeeper {
public:
    // Bytes [0, bytes) are ready from now on. Never fewer than before.
    void raise(size_t bytes) {
        signal_.store(base_ + bytes);
    }
    // The next buffer: empty, on the same ever-growing signal. The last one was raised to its end.
    void begin() {
        base_ = signal_.read();
    }
    Gate gate() const {
        return {&signal_, base_};
    }

private:
    Signal signal_;
    uint64_t base_ = 0;
};

} // namespace xcoll

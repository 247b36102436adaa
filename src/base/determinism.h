// How far a communicator promises that a reduction gives the same bits again. Each level includes those before it;
// man/man7/xcoll_determinism.7 says what they mean for users.
#pragma once

#include <cstdint>

namespace xcoll {

// Numbers are those of the ABI (XCOLL_DETERMINISM_OFF ...) less one.
enum class Determinism : uint8_t {
    off,    // on all ranks
    run,    // and from run to run
    size,   // and whatever the size of the message
    layout, // and wherever the ranks run
};
inline constexpr const char *determinism_names[] = {"off", "run", "size", "layout"};
constexpr const char *name_of(Determinism level) {
    return determinism_names[static_cast<int>(level)];
}

} // namespace xcoll

// The process that the user sees: waits for the launcher proper, which is its child, and tells it of signals.
// Should either of the two be killed, the other one ends the job: no rank outlives xcollrun.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "boot/launcher_protocol.h"
#include "tools/xcollrun/signals.h"

namespace xcoll::launcher {

// A signal that was sent to xcollrun.
struct SentSignal {
    int32_t number, sender;
};

// The launcher's side of the guard.
class Guard {
public:
    // Forks. Returns in the child, the launcher; its parent, the guard, exits with the launcher's code.
    explicit Guard(Signals &signals);

    // Readable when there is a signal to pass on, or when the guard is gone.
    int descriptor() const {
        return pipe_.get();
    }
    bool gone() const {
        return gone_;
    }
    // To be told of each signal that the launcher got itself, before next(): it came to the whole process group, from
    // a terminal or by kill with a negative number, so that the ranks have got it too.
    void came_to_group(const signalfd_siginfo &signal);
    // The next signal that came to xcollrun alone, if any.
    std::optional<SentSignal> next();

private:
    struct Seen {
        int32_t sender = 0;
        int64_t until = 0; // the guard's word of it comes at once; later it is another one
    };

    Descriptor pipe_;
    bool gone_ = false;
    std::array<Seen, 65> seen_;
};

} // namespace xcoll::launcher

// Starts the processes of the ranks.
#pragma once

#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "boot/launcher_protocol.h"
#include "tools/xcollrun/options.h"
#include "tools/xcollrun/signals.h"

namespace xcoll::launcher {

// What is the same for all ranks.
struct Launch {
    const Options &options;
    const Signals &signals;
    std::vector<int> processors; // to bind to; empty: do not bind
    rlimit open_files;           // as we were given them
};

struct RankProcess {
    pid_t pid = -1;
    Descriptor control;        // our end of its control socket
    Descriptor output, errors; // its standard output and error under --label
};

// A rank that could not be started: why, and the exit code that says so to a shell.
struct StartFailure {
    std::string text;
    int exit_code;
};

// Returns when the program runs. Throws StartFailure.
RankProcess start_rank(const Launch &launch, int rank);

} // namespace xcoll::launcher

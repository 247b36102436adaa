// What processes show of their communicators (base/flight.h), read from outside: they may run, hang or be stopped.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "base/flight.h"

namespace xcoll::doctor {

// A process that shows records.
struct Witness {
    pid_t pid;     // here
    pid_t own_pid; // in its own namespace, as its peers know it
    char state;    // of /proc/PID/stat
    std::vector<flight::Record> records;
};

struct Testimony {
    std::vector<Witness> witnesses;
    std::vector<std::string> silences; // which process cannot be read, and why
};

// The process `pid`, what it has started, and all ranks that share a communicator with one of these. 0: every process
// that this user may look into. Throws tools::Mistake if there is nothing to see, with the reason.
Testimony hear(pid_t pid);

} // namespace xcoll::doctor

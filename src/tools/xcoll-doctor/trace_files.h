// What the processes of a job have written of their operations (base/trace.h), while they run or later.
#pragma once

#include <string>
#include <vector>

#include "base/trace.h"

namespace xcoll::doctor {

// One rank of one communicator.
struct TracedRank {
    trace::Section section;
    std::vector<trace::Event> events; // in the order of their numbers
    uint64_t begun;                   // events that there have been

    // Those whose places later ones have.
    uint64_t dropped() const {
        return begun > section.capacity ? begun - section.capacity : 0;
    }
};

struct TracedProcess {
    std::string file;
    trace::FileHeader header;
    std::vector<TracedRank> ranks; // in the order in which they were made
};

// All of a folder, by name. Throws tools::Mistake if it cannot be read or has none; what single files lack goes to
// `complaints`.
std::vector<TracedProcess> read_traces(const std::string &folder, std::vector<std::string> &complaints);

} // namespace xcoll::doctor

// The command line of xcoll-tune.
#pragma once

#include <string>
#include <vector>

#include "tools/shared/operations.h"

namespace xcoll::tune {

struct Options {
    std::vector<const perf::Operation *> operations; // empty: all that have a choice
    std::vector<uint64_t> sizes;                     // bytes
    bool sizes_given = false;
    double seconds = 0;                 // for everything, about
    std::string out;                    // "": nothing is written
    std::string check;                  // "": tune; else a tuning file to be measured
    int ranks = 0;                      // to be started; 0: as many as xcollrun starts by itself
    std::vector<std::string> forwarded; // of the command line: what is for the ranks
};

// Runs with what the command line says. Returns what main() returns.
int with_options(int count, const char *const *arguments, int (*run)(const Options &options));

} // namespace xcoll::tune

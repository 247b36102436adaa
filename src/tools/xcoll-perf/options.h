// The command line of xcoll-perf.
#pragma once

#include <string>
#include <vector>

#include "tools/shared/task.h"
#include "tools/xcoll-perf/report.h"

namespace xcoll::perf {

struct Options {
    std::vector<const Operation *> operations;
    std::vector<uint64_t> sizes; // bytes
    const Type *type = nullptr;
    const Reduction *reduction = nullptr;
    std::vector<Form> forms;
    std::vector<Loop> loops;
    std::vector<bool> in_place, cold;
    size_t range = 0;   // of cold buffers; 0: chosen by the caches
    double seconds = 0; // for each line of the results
    bool check = false;
    int threads = 0; // 0: the ranks are those of the job
    Output output = Output::table;
    std::string compare; // a file of results
    std::string later;   // another one, which is compared with it instead of measuring
    std::string plot;    // a file to be written
};

// Runs with what the command line says. Returns what main() returns.
int with_options(int count, const char *const *arguments, int (*run)(const Options &options));

} // namespace xcoll::perf

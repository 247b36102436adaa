// What xcoll-doctor looks at: a table of checks, each of which finds one thing good or bad.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/shared/json.h"

namespace xcoll::doctor {

struct Finding {
    enum class State { ok, warning, problem } state;
    std::string seen;
    std::string meaning, advice; // of what is not ok
};
inline constexpr const char *state_names[] = {"ok", "warning", "problem"};

// What the checks look at.
struct Patient {
    int ranks;                // of the job that is to run here
    std::string root;         // before /proc and /sys: another machine's files, for tests
    tools::Json description;  // the library's own; null if it could not even be asked for a thread
    std::string init_failure; // then, and if it could only be asked so or without the XCOLL_ variables
};

struct Check {
    const char *name;
    Finding (*look)(const Patient &patient);
};
// In the order in which they are told.
std::span<const Check> memory_checks();
std::span<const Check> processor_checks();
std::span<const Check> permission_checks();
std::span<const Check> job_checks();

Finding good(std::string seen);
Finding warning(std::string seen, std::string meaning, std::string advice);
Finding problem(std::string seen, std::string meaning, std::string advice);

// The first line of a small file below the root; nothing if it cannot be read.
std::optional<std::string> read_line(const Patient &patient, const std::string &path);
// The value of a line "Name:   value" of a file of /proc.
std::optional<std::string> read_field(const Patient &patient, const std::string &path, const std::string &name);

// Such a rank of a job exchanges data with the others and compares what comes; returns what main() returns. Started by
// the checks of the job.
int take_part_in_exchange();
inline constexpr const char *exchange_option = "--exchange";

} // namespace xcoll::doctor

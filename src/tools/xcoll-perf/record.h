// A line of the results: what was measured, and what came out. Written to files and read from them.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace xcoll::perf {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Record {
    // What a file does not tell was so when it was written.
    std::string op, form = "blocking", loop = "osu", place = "out", buffers = "hot", dtype, reduce, placement;
    double ranks = 0, bytes = 0;
    // Of a call, in microseconds: the distribution over the samples, each that of its slowest rank, ...
    double median = unknown, least = unknown, p90 = unknown, p99 = unknown, most = unknown;
    // ... and the median of each rank's own samples, over the ranks.
    double fastest_rank = unknown, median_rank = unknown, slowest_rank = unknown;
    double gb_s = unknown, samples = 0, calls = 0;
    double round_trip = unknown; // nanoseconds
    std::string moved = "no";    // whether the machine changed: "no", "during" this line, "since" that of the ratio
    double ratio = unknown, wrong = unknown;

    // What two lines have in common that can be compared, and all that names a line.
    std::string size_key() const;
    std::string key() const;
};

// A column of all outputs; a record has it as a text or as a number.
struct Field {
    const char *name;    // in files
    const char *heading; // of the table; nullptr: only in files
    int width;           // negative: aligned to the left
    int decimals, decimals_in_table;
    std::string Record::*text;
    double Record::*number;
};
std::span<const Field> fields();

// As it stands in a file; empty where it is not known.
std::string written(const Field &field, const Record &record);
// The results in a file that xcoll-perf --json wrote; throws Mistake.
std::vector<Record> read_records(const std::string &file);

} // namespace xcoll::perf

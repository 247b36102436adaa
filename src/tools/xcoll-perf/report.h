// Printing results as a table, as JSON or as CSV, beside the ratio to others.
#pragma once

#include <map>
#include <string>

#include "tools/xcoll-perf/measure.h"
#include "tools/xcoll-perf/options.h"

namespace xcoll::perf {

class Report {
public:
    // Throws Mistake if the file to compare with cannot be used.
    Report(const Options &options, int ranks);
    void begin() const;
    void add(const Task &task, Loop loop, const Result &result);
    void end() const;

private:
    struct Line {
        const Task &task;
        Loop loop;
        const Result &result;
        double ratio; // 0: nothing to compare with
    };
    void read_earlier(const std::string &file);
    double ratio(const Task &task, Loop loop, double median);
    void print_table_line(const Line &line) const;
    void print_json_line(const Line &line) const;
    void print_csv_line(const Line &line) const;

    const Options &options_;
    int ranks_, lines_ = 0;
    std::map<std::string, double> earlier_; // median by what was measured
    std::string first_key_;                 // of the line that others of the same size are compared with
    double first_median_ = 0;
};

} // namespace xcoll::perf

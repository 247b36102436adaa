// Printing results as a table, as JSON or as CSV, beside the ratio to others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/xcoll-perf/record.h"

namespace xcoll::perf {

enum class Output { table, json, csv };

class Report {
public:
    // planned: all that will be added. earlier: what it is compared with, read from `file`; empty: with each other.
    Report(Output output, const std::vector<Record> &planned, const std::vector<Record> &earlier,
           const std::string &file);
    void begin() const;
    // Fills in the ratio, and prints.
    void add(Record &record);
    void end() const;

private:
    void compare(Record &record);
    void choose_columns(const std::vector<Record> &planned);
    void print_heading() const;
    void print_table_line(const Record &record) const;
    void print_json_line(const Record &record) const;
    void print_csv_line(const Record &record) const;

    Output output_;
    std::string file_;
    std::vector<const Field *> columns_; // of the table
    std::string in_common_;              // of all lines, which therefore have no column for it
    std::map<std::string, Record> earlier_;
    std::map<std::string, Record> first_; // of each size
    bool printed_ = false, moved_ = false;
};

} // namespace xcoll::perf

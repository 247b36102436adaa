#include "tools/xcoll-perf/record.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include "tools/shared/command_line.h"
#include "tools/shared/json.h"
#include "tools/shared/text.h"

namespace xcoll::perf {

using tools::Json;
using tools::Mistake;

namespace {

constexpr Field text(const char *name, const char *heading, int width, std::string Record::*member) {
    return {name, heading, width, 0, 0, member, nullptr};
}
constexpr Field number(const char *name, const char *heading, int width, int decimals, int decimals_in_table,
                       double Record::*member) {
    return {name, heading, width, decimals, decimals_in_table, nullptr, member};
}

constexpr Field table[] = {
    text("op", "operation", -15, &Record::op),
    text("form", "form", -10, &Record::form),
    text("loop", "loop", -6, &Record::loop),
    text("place", "place", -5, &Record::place),
    text("buffers", "buffers", -7, &Record::buffers),
    text("dtype", nullptr, 0, &Record::dtype),
    text("reduce", nullptr, 0, &Record::reduce),
    number("ranks", "ranks", 5, 0, 0, &Record::ranks),
    text("placement", nullptr, 0, &Record::placement),
    number("bytes", "bytes", 6, 0, 0, &Record::bytes),
    number("median_us", "median", 9, 4, 3, &Record::median),
    number("min_us", "min", 9, 4, 3, &Record::least),
    number("p90_us", "p90", 9, 4, 3, &Record::p90),
    number("p99_us", "p99", 9, 4, 3, &Record::p99),
    number("max_us", "max", 9, 4, 3, &Record::most),
    number("rank_min_us", "rank-min", 9, 4, 3, &Record::fastest_rank),
    number("rank_median_us", "rank-med", 9, 4, 3, &Record::median_rank),
    number("rank_max_us", "rank-max", 9, 4, 3, &Record::slowest_rank),
    number("gb_s", "GB/s", 6, 4, 2, &Record::gb_s),
    number("round_trip_ns", "trip", 6, 1, 0, &Record::round_trip),
    text("moved", nullptr, 0, &Record::moved),
    number("samples", nullptr, 0, 0, 0, &Record::samples),
    number("calls", nullptr, 0, 0, 0, &Record::calls),
    number("ratio", "ratio", 6, 4, 2, &Record::ratio),
    number("wrong", "wrong", 6, 0, 0, &Record::wrong),
};

Record read_record(const Json &line) {
    Record record;
    for (const Field &field : table) {
        const Json &value = line[field.name];
        if (value.is_null()) {
            continue;
        }
        if (field.text) {
            record.*field.text = value.text();
        } else {
            record.*field.number = value.number();
        }
    }
    return record;
}

Json parse_file(const std::string &file, const std::string &contents) {
    try {
        return Json::parse(contents);
    } catch (const Mistake &mistake) {
        throw Mistake("--compare: " + file + ": " + mistake.what() + "; what xcoll-perf --json printed was expected");
    }
}

} // namespace

std::string Record::size_key() const {
    return tools::format("%s %s %s %.0f %.0f", op.c_str(), dtype.c_str(), reduce.c_str(), bytes, ranks);
}

std::string Record::key() const {
    return size_key() + ' ' + form + ' ' + loop + ' ' + place + ' ' + buffers;
}

std::span<const Field> fields() {
    return table;
}

std::string written(const Field &field, const Record &record) {
    if (field.text) {
        return record.*field.text;
    }
    const double value = record.*field.number;
    return std::isnan(value) ? "" : tools::format("%.*f", field.decimals, value);
}

std::vector<Record> read_records(const std::string &file) {
    std::ifstream in(file);
    std::ostringstream all;
    all << in.rdbuf();
    if (!in) {
        throw Mistake("--compare: cannot read " + file);
    }
    std::vector<Record> records;
    const Json json = parse_file(file, all.str());
    for (const Json &line : json["results"].items()) {
        records.push_back(read_record(line));
    }
    if (records.empty()) {
        throw Mistake("--compare: " + file + " has no results: expected what xcoll-perf --json printed");
    }
    return records;
}

} // namespace xcoll::perf

#include "tools/xcoll-perf/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/quoted.h"
#include "tools/shared/sizes.h"
#include "tools/shared/text.h"
#include "tools/xcoll-perf/round_trip.h"
#include "xcoll.h"

namespace xcoll::perf {

namespace {

std::string shown(const Field &field, const Record &record) {
    if (field.text) {
        return record.*field.text;
    }
    const double value = record.*field.number;
    if (std::isnan(value)) {
        return "-";
    }
    if (field.number == &Record::bytes) {
        return tools::short_bytes(static_cast<uint64_t>(value));
    }
    const bool marked = field.number == &Record::round_trip && record.moved != "no";
    return tools::format("%.*f%s", field.decimals_in_table, value, marked ? "*" : "");
}

std::string aligned(const Field &field, const std::string &text) {
    return tools::format("%*s ", field.width, text.c_str());
}

void print(std::string line) {
    line.resize(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
}

} // namespace

Report::Report(Output output, const std::vector<Record> &planned, const std::vector<Record> &earlier,
               const std::string &file)
    : output_(output), file_(file) {
    for (const Record &record : earlier) {
        earlier_.emplace(record.key(), record);
    }
    choose_columns(planned);
}

// What is the same in all lines stands above them; the operation stands in each all the same.
void Report::choose_columns(const std::vector<Record> &planned) {
    const Record &first = planned[0];
    const auto is_in_all = [&](auto member) {
        return std::all_of(planned.begin(), planned.end(),
                           [&](const Record &record) { return record.*member == first.*member; });
    };
    for (const Field &field : fields()) {
        const bool is_setting =
            (field.text && field.text != &Record::op && field.text != &Record::moved) || field.number == &Record::ranks;
        if (is_setting && (field.text ? is_in_all(field.text) : is_in_all(field.number))) {
            const std::string value = written(field, first);
            tools::add_item(in_common_, value.empty() ? "" : ", ", value + (field.text ? "" : " ranks"));
        } else if (field.heading && !(field.number == &Record::wrong && std::isnan(first.wrong))) {
            columns_.push_back(&field);
        }
    }
}

void Report::compare(Record &record) {
    const Record *base = nullptr;
    if (earlier_.empty()) {
        base = &first_.emplace(record.size_key(), record).first->second;
    } else if (const auto found = earlier_.find(record.key()); found != earlier_.end()) {
        base = &found->second;
    }
    if (!base) {
        return;
    }
    record.ratio = record.median / base->median;
    if (record.moved == "no" && (base->moved == "during" || is_another_machine(record.round_trip, base->round_trip))) {
        record.moved = "since";
    }
}

void Report::begin() const {
    switch (output_) {
    case Output::table:
        print_heading();
        break;
    case Output::json:
        std::printf("{\"tool\": \"xcoll-perf\", \"version\": \"%d.%d.%d\", \"results\": [", XCOLL_VERSION_MAJOR,
                    XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
        break;
    case Output::csv:
        std::string names;
        for (const Field &field : fields()) {
            tools::add_item(names, ",", field.name);
        }
        print(names);
    }
}

void Report::print_heading() const {
    print(in_common_);
    print("microseconds of a call; trip: nanoseconds of a cache line there and back; ratio: to " +
          (earlier_.empty() ? "the first line of the same size" : file_));
    std::string names;
    for (const Field *field : columns_) {
        names += aligned(*field, field->heading);
    }
    print(names);
}

void Report::add(Record &record) {
    compare(record);
    moved_ = moved_ || record.moved != "no";
    switch (output_) {
    case Output::table:
        print_table_line(record);
        break;
    case Output::json:
        print_json_line(record);
        break;
    case Output::csv:
        print_csv_line(record);
    }
    printed_ = true;
    std::fflush(stdout);
}

void Report::end() const {
    if (output_ == Output::json) {
        std::printf("\n]}\n");
    }
    if (output_ == Output::table && moved_) {
        print("* The machine changed, during the line or since the one that its ratio is to: processors came nearer to "
              "each\n  other or moved apart. Such a ratio says nothing about xcoll; measure again.");
    }
}

void Report::print_table_line(const Record &record) const {
    std::string line;
    for (const Field *field : columns_) {
        line += aligned(*field, shown(*field, record));
    }
    print(line);
}

void Report::print_json_line(const Record &record) const {
    std::string members;
    for (const Field &field : fields()) {
        const std::string value = written(field, record);
        const std::string number = value.empty() ? "null" : value;
        tools::add_item(members, ", ", quoted(field.name) + ": " + (field.text ? quoted(value) : number));
    }
    std::printf("%s\n{%s}", printed_ ? "," : "", members.c_str());
}

void Report::print_csv_line(const Record &record) const {
    std::string values;
    for (const Field &field : fields()) {
        values += &field == fields().data() ? "" : ",";
        values += written(field, record);
    }
    print(values);
}

} // namespace xcoll::perf

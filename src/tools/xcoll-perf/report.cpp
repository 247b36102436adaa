#include "tools/xcoll-perf/report.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "tools/shared/command_line.h"
#include "tools/shared/json.h"
#include "tools/shared/sizes.h"
#include "tools/shared/text.h"

namespace xcoll::perf {

using tools::Json;
using tools::Mistake;

namespace {

constexpr double ns_per_us = 1000;

const char *name_of(Form form) {
    return form_names[static_cast<size_t>(form)];
}
const char *name_of(Loop loop) {
    return loop_names[static_cast<size_t>(loop)];
}
const char *reduction_of(const Task &task) {
    return task.reduces() ? task.reduction->name : "";
}

// What two lines have in common that can be compared.
std::string key(const std::string &operation, const std::string &type, const std::string &reduction, double bytes,
                double ranks) {
    return tools::format("%s %s %s %.0f %.0f", operation.c_str(), type.c_str(), reduction.c_str(), bytes, ranks);
}

} // namespace

Report::Report(const Options &options, int ranks) : options_(options), ranks_(ranks) {
    if (!options.compare.empty()) {
        read_earlier(options.compare);
    }
}

void Report::read_earlier(const std::string &file) {
    std::ifstream in(file);
    if (!in) {
        throw Mistake("--compare: cannot read " + file);
    }
    std::ostringstream text;
    text << in.rdbuf();
    const Json all = Json::parse(text.str());
    for (const Json &line : all["results"].items()) {
        const std::string what = key(line["op"].text(), line["dtype"].text(), line["reduce"].text(),
                                     line["bytes"].number(), line["ranks"].number());
        earlier_[what + ' ' + line["form"].text() + ' ' + line["loop"].text()] = line["median_us"].number() * ns_per_us;
    }
    if (earlier_.empty()) {
        throw Mistake("--compare: " + file + " has no results: expected what xcoll-perf --json printed");
    }
}

// To the same line of the file; without a file to the first of those lines that differ in form or loop only.
double Report::ratio(const Task &task, Loop loop, double median) {
    const std::string what =
        key(task.operation->name, task.type->name, reduction_of(task), static_cast<double>(task.bytes()), ranks_);
    if (!options_.compare.empty()) {
        const auto found = earlier_.find(what + ' ' + name_of(task.form) + ' ' + name_of(loop));
        return found == earlier_.end() ? 0 : median / found->second;
    }
    if (what != first_key_) {
        first_key_ = what;
        first_median_ = median;
    }
    return median / first_median_;
}

void Report::begin() const {
    const char *check = options_.check ? "  wrong" : "";
    switch (options_.output) {
    case Options::Output::table:
        std::printf("%d %s, %s; microseconds; GB/s: bytes by median; ratio: to %s\n", ranks_,
                    options_.threads > 0 ? "threads" : "ranks", options_.type->name,
                    options_.compare.empty() ? "the first form and loop of the same size" : options_.compare.c_str());
        std::printf("%-16s %-10s %-6s %8s %9s %9s %9s %9s %7s %6s%s\n", "operation", "form", "loop", "bytes", "median",
                    "min", "p99", "max", "GB/s", "ratio", check);
        break;
    case Options::Output::json:
        std::printf("{\"tool\": \"xcoll-perf\", \"version\": \"%d.%d.%d\", \"results\": [", XCOLL_VERSION_MAJOR,
                    XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
        break;
    case Options::Output::csv:
        std::printf("op,form,loop,dtype,reduce,ranks,placement,bytes,median_us,min_us,p99_us,max_us,samples,calls,"
                    "ratio,wrong\n");
    }
}

void Report::add(const Task &task, Loop loop, const Result &result) {
    const Line line{task, loop, result, ratio(task, loop, result.median)};
    switch (options_.output) {
    case Options::Output::table:
        print_table_line(line);
        break;
    case Options::Output::json:
        print_json_line(line);
        break;
    case Options::Output::csv:
        print_csv_line(line);
    }
    ++lines_;
    std::fflush(stdout);
}

void Report::end() const {
    if (options_.output == Options::Output::json) {
        std::printf("\n]}\n");
    }
}

void Report::print_table_line(const Line &line) const {
    const auto &[task, loop, result, ratio] = line;
    const std::string wrong = result.wrong >= 0 ? tools::format(" %6ld", result.wrong) : "";
    const std::string shown = ratio > 0 ? tools::format("%.2f", ratio) : "-";
    std::printf("%-16s %-10s %-6s %8s %9.3f %9.3f %9.3f %9.3f %7.2f %6s%s\n", task.operation->name, name_of(task.form),
                name_of(loop), tools::short_bytes(task.bytes()).c_str(), result.median / ns_per_us,
                result.least / ns_per_us, result.p99 / ns_per_us, result.most / ns_per_us,
                static_cast<double>(task.bytes()) / result.median, shown.c_str(), wrong.c_str());
}

void Report::print_json_line(const Line &line) const {
    const auto &[task, loop, result, ratio] = line;
    std::printf("%s\n{\"op\": \"%s\", \"form\": \"%s\", \"loop\": \"%s\", \"dtype\": \"%s\", \"reduce\": \"%s\", "
                "\"ranks\": %d, \"placement\": \"%s\", \"bytes\": %zu, \"median_us\": %.4f, \"min_us\": %.4f, "
                "\"p99_us\": %.4f, \"max_us\": %.4f, \"samples\": %d, \"calls\": %d, \"ratio\": %s, \"wrong\": %s}",
                lines_ > 0 ? "," : "", task.operation->name, name_of(task.form), name_of(loop), task.type->name,
                reduction_of(task), ranks_, options_.threads > 0 ? "threads" : "processes", task.bytes(),
                result.median / ns_per_us, result.least / ns_per_us, result.p99 / ns_per_us, result.most / ns_per_us,
                result.samples, result.calls, ratio > 0 ? tools::format("%.4f", ratio).c_str() : "null",
                result.wrong >= 0 ? std::to_string(result.wrong).c_str() : "null");
}

void Report::print_csv_line(const Line &line) const {
    const auto &[task, loop, result, ratio] = line;
    std::printf("%s,%s,%s,%s,%s,%d,%s,%zu,%.4f,%.4f,%.4f,%.4f,%d,%d,%s,%s\n", task.operation->name, name_of(task.form),
                name_of(loop), task.type->name, reduction_of(task), ranks_,
                options_.threads > 0 ? "threads" : "processes", task.bytes(), result.median / ns_per_us,
                result.least / ns_per_us, result.p99 / ns_per_us, result.most / ns_per_us, result.samples, result.calls,
                ratio > 0 ? tools::format("%.4f", ratio).c_str() : "",
                result.wrong >= 0 ? std::to_string(result.wrong).c_str() : "");
}

} // namespace xcoll::perf

#include "tools/xcoll-perf/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "tools/shared/command_line.h"
#include "tools/shared/size_list.h"
#include "tools/shared/text.h"
#include "tools/shared/write_whole.h"

namespace xcoll::perf {

using tools::add_item;
using tools::Mistake;

namespace {

constexpr int most_threads = 1024;

template <class Rows> std::string names_of(const Rows &rows) {
    std::string names;
    for (const auto &row : rows) {
        add_item(names, " ", row.name);
    }
    return names;
}

// The numbers of the names in a list, or of all.
template <size_t count>
std::vector<size_t> pick(const char *option, std::string_view list, const char *const (&names)[count]) {
    std::vector<size_t> picked;
    for (const std::string_view name : tools::split(list, ',')) {
        const size_t before = picked.size();
        std::string known;
        for (size_t i = 0; i < count; ++i) {
            add_item(known, ", ", names[i]);
            if (name == names[i] || name == "all") {
                picked.push_back(i);
            }
        }
        if (picked.size() == before) {
            throw Mistake(std::string(option) + " '" + std::string(name) + "': expected all or some of " + known);
        }
    }
    return picked;
}

void set_operations(Options &options, std::string_view list) {
    options.operations.clear();
    for (const std::string_view name : tools::split(list, ',')) {
        if (name == "all") {
            for (const Operation &operation : operations()) {
                options.operations.push_back(&operation);
            }
            continue;
        }
        const Operation *found = find_operation(name);
        if (!found) {
            throw Mistake("--op '" + std::string(name) + "': expected all or some of " + names_of(operations()));
        }
        options.operations.push_back(found);
    }
}

template <class Row, class Rows>
const Row *row_named(const char *option, std::string_view name, const Row *found, const Rows &rows) {
    if (!found) {
        throw Mistake(std::string(option) + " " + std::string(name) + ": expected one of " + names_of(rows));
    }
    return found;
}

// Value: a number or an enumeration, whose values are the places of the names.
template <class Value, size_t count>
void set_some(std::vector<Value> &chosen, const char *option, std::string_view list,
              const char *const (&names)[count]) {
    chosen.clear();
    for (const size_t number : pick(option, list, names)) {
        chosen.push_back(static_cast<Value>(number));
    }
}

double parse_seconds(std::string_view text) {
    double seconds = 0;
    constexpr double longest = 3600;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0 && seconds <= longest)) {
        throw Mistake("--seconds " + std::string(text) + ": expected a number above 0 and up to 3600");
    }
    return seconds;
}

void set_output(Options &options, Output output) {
    if (options.output != Output::table && options.output != output) {
        throw Mistake("--json and --csv: expected one of them");
    }
    options.output = output;
}

template <size_t count> void print_list(const char *title, const char *const (&names)[count]) {
    std::string list;
    for (const char *name : names) {
        add_item(list, " ", name);
    }
    std::printf("%s: %s\n", title, list.c_str());
}

void print_lists() {
    std::printf("operations: %s\ntypes: %s\nreductions: %s\n", names_of(operations()).c_str(),
                names_of(types()).c_str(), names_of(reductions()).c_str());
    print_list("forms", form_names);
    print_list("loops", loop_names);
    print_list("places", place_names);
    print_list("buffers", buffer_names);
}

// The sizes in the way of other benchmarks.
struct Range {
    std::optional<uint64_t> first, last, factor, step;
};

struct Parsed {
    Options options;
    Range range;
    bool list = false;
    const char *measuring = nullptr; // an option that is about what is measured
};

// What is measured.
void add_subject_options(std::vector<tools::Option> &table, Options &o) {
    using Value = std::string_view;
    table.insert(
        table.end(),
        {{"--op", "LIST", "operations; default: allreduce", [&o](Value v) { set_operations(o, v); }},
         {"--dtype", "NAME", "type of the elements; default: float32",
          [&o](Value v) { o.type = row_named("--dtype", v, find_type(v), types()); }},
         {"--reduce", "NAME", "operator of reductions; default: sum",
          [&o](Value v) { o.reduction = row_named("--reduce", v, find_reduction(v), reductions()); }},
         {"--form", "LIST", "blocking, i, persistent, enqueue, group; default: blocking",
          [&o](Value v) { set_some(o.forms, "--form", v, form_names); }},
         {"--loop", "LIST", "osu, honest (writes before and reads after each call); default: osu",
          [&o](Value v) { set_some(o.loops, "--loop", v, loop_names); }},
         {"--place", "LIST", "out, in: results in the buffer of the input; default: out",
          [&o](Value v) { set_some(o.in_place, "--place", v, place_names); }},
         {"--buffers", "LIST", "hot: the same for all calls, cold: others than are in the caches; default: hot",
          [&o](Value v) { set_some(o.cold, "--buffers", v, buffer_names); }},
         {"--range", "BYTES", "of the cold buffers of a rank; default: twice the last cache",
          [&o](Value v) { o.range = tools::parse_size("--range", v); }}});
}

void add_size_options(std::vector<tools::Option> &table, Options &o, Range &range) {
    using Value = std::string_view;
    const auto size = [](const char *name, const char *value, const char *meaning, std::optional<uint64_t> &into) {
        return tools::Option{name, value, meaning, [name, &into](Value v) { into = tools::parse_size(name, v); }};
    };
    table.insert(table.end(), {{"--sizes", "LIST", "bytes: 8,1K or 8:1M or 8:1M:4 (factor 4); default: 8:2M:4",
                                [&o](Value v) { o.sizes = tools::parse_sizes(v); }},
                               size("-b", "BYTES", "or: from this size on; default: 8", range.first),
                               size("-e", "BYTES", "to this size; default: 2M", range.last),
                               size("-f", "N", "each N times the one before; default: 2", range.factor),
                               size("-i", "BYTES", "each larger by so much, instead", range.step)});
}

// What is about measuring and not about results, which may be others' as well.
void add_measuring_options(std::vector<tools::Option> &table, Parsed &parsed) {
    Options &o = parsed.options;
    using Value = std::string_view;
    add_subject_options(table, o);
    add_size_options(table, o, parsed.range);
    table.insert(
        table.end(),
        {{"--seconds", "S", "time for each line; default: 0.1", [&o](Value v) { o.seconds = parse_seconds(v); }},
         {"--check", nullptr, "compare results with a plain reference", [&o](Value) { o.check = true; }},
         {"-t", "N", "N threads as ranks, without xcollrun",
          [&o](Value v) { o.threads = static_cast<int>(tools::take_number("-t", v, 1, most_threads)); }}});
    for (tools::Option &option : table) {
        option.take = [&parsed, name = option.name, take = std::move(option.take)](Value v) {
            parsed.measuring = name;
            take(v);
        };
    }
}

tools::Tool tool_for(Parsed &parsed) {
    Options &o = parsed.options;
    using Value = std::string_view;
    tools::Tool tool{
        "xcoll-perf",
        "[later results]",
        "Measures operations of xcoll: under xcollrun, whose job it is then, or with -t among threads. Times are\n"
        "microseconds of a call on its slowest rank. Lists are separated by commas; 'all' names everything.\n",
        {}};
    add_measuring_options(tool.options, parsed);
    tool.options.insert(
        tool.options.end(),
        {{"--json", nullptr, "print JSON", [&o](Value) { set_output(o, Output::json); }},
         {"--csv", nullptr, "print CSV", [&o](Value) { set_output(o, Output::csv); }},
         {"--plot", "FILE", "draw the times as SVG, too", [&o](Value v) { o.plot = v; }},
         {"--compare", "FILE", "show the ratio to results that --json printed; with later ones, measure nothing",
          [&o](Value v) { o.compare = v; }},
         {"--list", nullptr, "print the names of everything and end", [&parsed](Value) { parsed.list = true; }}});
    return tool;
}

void set_defaults(Options &options) {
    set_operations(options, "allreduce");
    options.type = find_type("float32");
    options.reduction = find_reduction("sum");
    options.forms = {Form::blocking};
    options.loops = {Loop::osu};
    options.in_place = {false};
    options.cold = {false};
    options.seconds = 0.1;
}

void choose_sizes(Options &options, const Range &range) {
    const bool has_range = range.first || range.last || range.factor || range.step;
    if (has_range && !options.sizes.empty()) {
        throw Mistake("--sizes and -b, -e, -f, -i: expected one of both ways to tell the sizes");
    }
    if (range.factor && range.step) {
        throw Mistake("-f and -i: expected a factor or a step");
    }
    if (range.step == 0u) {
        throw Mistake("-i 0: expected a step above 0");
    }
    constexpr uint64_t first = 8, last = uint64_t{2} << 20, factor = 2, wide_factor = 4;
    if (options.sizes.empty()) {
        const uint64_t begin = range.first.value_or(std::max<uint64_t>(options.type->bytes, first));
        options.sizes =
            tools::sizes_between(begin, range.last.value_or(std::max(last, begin)),
                                 range.factor.value_or(has_range ? factor : wide_factor), range.step.value_or(0));
    }
    for (const uint64_t size : options.sizes) {
        if (size % options.type->bytes != 0) {
            throw Mistake("--sizes: " + std::to_string(size) + " bytes are not a whole number of " +
                          options.type->name + ", which has " + std::to_string(options.type->bytes));
        }
    }
}

void take_words(Parsed &parsed, const std::vector<std::string_view> &words) {
    Options &options = parsed.options;
    if (words.empty()) {
        return;
    }
    if (options.compare.empty() || words.size() > 1) {
        throw Mistake("unexpected '" + std::string(words.back()) + "': operations are named by --op, and a file of " +
                      "results stands behind --compare and the file that it is compared with");
    }
    if (parsed.measuring) {
        throw Mistake(std::string(parsed.measuring) + ": nothing is measured where two files are compared: expected " +
                      "--json or --csv and --plot only");
    }
    options.later = words[0];
}

} // namespace

int with_options(int count, const char *const *arguments, int (*run)(const Options &options)) {
    Parsed parsed;
    set_defaults(parsed.options);
    const tools::Tool tool = tool_for(parsed);
    return tools::guarded_main(tool, [&] {
        const auto words = tools::take_options(tool, count, arguments);
        if (parsed.list) {
            print_lists();
            return 0;
        }
        take_words(parsed, words);
        choose_sizes(parsed.options, parsed.range);
        if (!parsed.options.plot.empty()) {
            tools::check_target("--plot", parsed.options.plot);
        }
        return run(parsed.options);
    });
}

} // namespace xcoll::perf

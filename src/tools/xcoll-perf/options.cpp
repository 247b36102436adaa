#include "tools/xcoll-perf/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "tools/shared/command_line.h"
#include "tools/shared/size_list.h"
#include "tools/shared/text.h"

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
            throw Mistake(std::string(option) + " " + std::string(name) + ": expected all or some of " + known);
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
            throw Mistake("--op " + std::string(name) + ": expected all or some of " + names_of(operations()));
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

void set_forms(Options &options, std::string_view list) {
    options.forms.clear();
    for (const size_t form : pick("--form", list, form_names)) {
        options.forms.push_back(static_cast<Form>(form));
    }
}

void set_loops(Options &options, std::string_view list) {
    options.loops.clear();
    for (const size_t loop : pick("--loop", list, loop_names)) {
        options.loops.push_back(static_cast<Loop>(loop));
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

void print_lists() {
    std::string forms, loops;
    for (const char *name : form_names) {
        add_item(forms, " ", name);
    }
    for (const char *name : loop_names) {
        add_item(loops, " ", name);
    }
    std::printf("operations: %s\ntypes: %s\nreductions: %s\nforms: %s\nloops: %s\n", names_of(operations()).c_str(),
                names_of(types()).c_str(), names_of(reductions()).c_str(), forms.c_str(), loops.c_str());
}

struct Parsed {
    Options options;
    bool list = false;
};

tools::Tool tool_for(Parsed &parsed) {
    Options &o = parsed.options;
    using Value = std::string_view;
    return {"xcoll-perf",
            "",
            "Measures operations of xcoll: under xcollrun, whose job it is then, or with -t among threads. Times are\n"
            "microseconds of a call on its slowest rank. Lists are separated by commas; 'all' names everything.\n",
            {{"--op", "LIST", "operations; default: allreduce", [&o](Value v) { set_operations(o, v); }},
             {"--sizes", "LIST", "bytes: 8,1K or 8:1M or 8:1M:4 (factor 4); default: 8:2M:4",
              [&o](Value v) { o.sizes = tools::parse_sizes(v); }},
             {"--dtype", "NAME", "type of the elements; default: float32",
              [&o](Value v) { o.type = row_named("--dtype", v, find_type(v), types()); }},
             {"--reduce", "NAME", "operator of reductions; default: sum",
              [&o](Value v) { o.reduction = row_named("--reduce", v, find_reduction(v), reductions()); }},
             {"--form", "LIST", "blocking, i, persistent, enqueue, group; default: blocking",
              [&o](Value v) { set_forms(o, v); }},
             {"--loop", "LIST", "osu, honest (writes before and reads after each call); default: osu",
              [&o](Value v) { set_loops(o, v); }},
             {"--seconds", "S", "time for each line; default: 0.1", [&o](Value v) { o.seconds = parse_seconds(v); }},
             {"--check", nullptr, "compare results with a plain reference", [&o](Value) { o.check = true; }},
             {"-t", "N", "N threads as ranks, without xcollrun",
              [&o](Value v) { o.threads = static_cast<int>(tools::take_number("-t", v, 1, most_threads)); }},
             {"--json", nullptr, "print JSON", [&o](Value) { o.output = Options::Output::json; }},
             {"--csv", nullptr, "print CSV", [&o](Value) { o.output = Options::Output::csv; }},
             {"--compare", "FILE", "show the ratio to results that --json printed", [&o](Value v) { o.compare = v; }},
             {"--list", nullptr, "print the names of everything and end", [&parsed](Value) { parsed.list = true; }}}};
}

void set_defaults(Options &options) {
    set_operations(options, "allreduce");
    options.type = find_type("float32");
    options.reduction = find_reduction("sum");
    set_forms(options, "blocking");
    set_loops(options, "osu");
    options.seconds = 0.1;
}

void complete(Options &options) {
    if (options.sizes.empty()) {
        const std::string first = std::to_string(std::max<size_t>(options.type->bytes, 8));
        options.sizes = tools::parse_sizes(first + ":2M:4");
    }
    for (const uint64_t size : options.sizes) {
        if (size % options.type->bytes != 0) {
            throw Mistake("--sizes: " + std::to_string(size) + " bytes are not a whole number of " +
                          options.type->name + ", which has " + std::to_string(options.type->bytes));
        }
    }
}

} // namespace

int with_options(int count, const char *const *arguments, int (*run)(const Options &options)) {
    Parsed parsed;
    set_defaults(parsed.options);
    const tools::Tool tool = tool_for(parsed);
    return tools::guarded_main(tool, [&] {
        const auto words = tools::take_options(tool, count, arguments);
        if (!words.empty()) {
            throw Mistake("unexpected '" + std::string(words[0]) + "': operations are named by --op");
        }
        if (parsed.list) {
            print_lists();
            return 0;
        }
        complete(parsed.options);
        return run(parsed.options);
    });
}

} // namespace xcoll::perf

#include "tools/xcoll-tune/options.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "boot/launcher_protocol.h"
#include "tools/shared/command_line.h"
#include "tools/shared/size_list.h"
#include "tools/shared/text.h"

namespace xcoll::tune {

using tools::Mistake;

namespace {

constexpr size_t element_bytes = sizeof(float);
constexpr long longest = 24 * 3600;
constexpr double usual_seconds = 60, quick_seconds = 10;
constexpr const char *usual_sizes = "8:4M:4", *quick_sizes = "8:512K:8";

void set_operations(Options &options, std::string_view list) {
    options.operations.clear();
    for (const std::string_view name : tools::split(list, ',')) {
        const perf::Operation *found = perf::find_operation(name);
        if (!found) {
            throw Mistake("--ops " + std::string(name) + ": expected collectives such as allreduce,bcast");
        }
        options.operations.push_back(found);
    }
}

void set_sizes(Options &options, std::string_view list) {
    options.sizes = tools::parse_sizes(list);
    std::sort(options.sizes.begin(), options.sizes.end());
    options.sizes.erase(std::unique(options.sizes.begin(), options.sizes.end()), options.sizes.end());
    for (const uint64_t size : options.sizes) {
        if (size == 0 || size % element_bytes != 0) {
            throw Mistake("--sizes: " + std::to_string(size) + " bytes: expected a multiple of " +
                          std::to_string(element_bytes) + " above 0, as float32 is measured");
        }
    }
}

std::string named(const char *option, std::string_view file) {
    // Settings of a communicator, by which the library gets the name, are separated by semicolons.
    if (file.find(';') != std::string_view::npos) {
        throw Mistake(std::string(option) + " '" + std::string(file) + "': expected the name of a file without ';'");
    }
    return std::string(file);
}

tools::Tool tool_for(Options &o, bool &quick) {
    using Value = std::string_view;
    // What the ranks get is what this process got, but for their number.
    const auto forward = [&o](const char *name, Value value) {
        o.forwarded.push_back(std::string(name) + '=' + std::string(value));
    };
    return {
        "xcoll-tune",
        "",
        "Measures which algorithm is the fastest for each collective and size, among ranks that it starts or, under\n"
        "xcollrun, among those of that job, and shows and writes where that is another one than the library chooses.\n",
        {{"-n", "N", "ranks to start; default: one for each usable processor",
          [&o](Value v) { o.ranks = static_cast<int>(tools::take_number("-n", v, 1, launcher::most_ranks)); }},
         {"-o", "FILE", "write a tuning file, for XCOLL_TUNING_FILE; default: write nothing",
          [&o](Value v) {
              o.out = named("-o", v);
              o.forwarded.push_back("-o" + o.out);
          }},
         {"--check", "FILE", "measure with that tuning file against without",
          [&o, forward](Value v) {
              o.check = named("--check", v);
              forward("--check", v);
          }},
         {"--ops", "LIST", "collectives; default: all that have a choice",
          [&o, forward](Value v) {
              set_operations(o, v);
              forward("--ops", v);
          }},
         {"--sizes", "LIST", "bytes: 8,1K or 8:1M or 8:1M:4 (factor 4); default: 8:4M:4",
          [&o, forward](Value v) {
              set_sizes(o, v);
              o.sizes_given = true;
              forward("--sizes", v);
          }},
         {"--time", "S", "seconds for everything, about; default: 60",
          [&o, forward](Value v) {
              o.seconds = static_cast<double>(tools::take_number("--time", v, 1, longest));
              forward("--time", v);
          }},
         {"--quick", nullptr, "10 seconds, and fewer sizes: a first look", [&o, &quick](Value) {
              quick = true;
              o.forwarded.emplace_back("--quick");
          }}}};
}

void complete(Options &options, bool quick) {
    if (!options.out.empty() && !options.check.empty()) {
        throw Mistake("-o and --check: expected one of them");
    }
    if (!options.check.empty() && access(options.check.c_str(), R_OK) != 0) { // said once, and not by every rank
        throw Mistake("--check " + options.check + ": " + std::strerror(errno) + ": expected a tuning file");
    }
    if (!options.sizes_given) {
        set_sizes(options, quick ? quick_sizes : usual_sizes);
    }
    if (options.seconds == 0) {
        options.seconds = quick ? quick_seconds : usual_seconds;
    }
}

} // namespace

int with_options(int count, const char *const *arguments, int (*run)(const Options &options)) {
    Options options;
    bool quick = false;
    const tools::Tool tool = tool_for(options, quick);
    return tools::guarded_main(tool, [&] {
        const auto words = tools::take_options(tool, count, arguments);
        if (!words.empty()) {
            throw Mistake("unexpected '" + std::string(words[0]) + "': the file to write is named by -o");
        }
        complete(options, quick);
        return run(options);
    });
}

} // namespace xcoll::tune

// Command lines of the launcher and of the tools, and the sizes in them.
#include "fuzz/target.h"

#include <algorithm>

#include "base/amount.h"

// Tools are no part of the library.
#include "tools/shared/command_line.cpp"
#include "tools/shared/printed.cpp"
#include "tools/shared/sizes.cpp"
#include "tools/xcollrun/options.cpp"

namespace xcoll::fuzz {

namespace {

void start_launcher(const std::vector<const char *> &arguments) {
    const auto parsed = launcher::parse_options(static_cast<int>(arguments.size()), arguments.data());
    if (const auto *options = std::get_if<launcher::Options>(&parsed)) {
        must(!options->command.empty(), "there is a program to run");
        must(options->ranks >= 0 && options->ranks <= launcher::most_ranks, "there are as many ranks as can be");
        must(options->timeout_ms >= 0, "a timeout is not over already");
    } else {
        must(!std::get<launcher::Notice>(parsed).text.empty(), "who is refused is told why");
    }
}

void start_tool(const std::vector<const char *> &arguments) {
    constexpr long least = -3, most = 1000;
    long number = 0;
    const tools::Tool tool = {"tool",
                              "[word ...]",
                              "Tries its arguments.",
                              {{"-n", "N", "a number",
                                [&](std::string_view value) { number = tools::take_number("-n", value, least, most); }},
                               {"--size", "S", "a size", [](std::string_view value) { parse_amount(value); }},
                               {"--flag", nullptr, "nothing", [](std::string_view) {}}}};
    try {
        const auto words = tools::take_options(tool, static_cast<int>(arguments.size()), arguments.data());
        must(words.size() < arguments.size(), "words are among the arguments");
        must(number >= least && number <= most, "a number is in its range");
    } catch (const tools::Mistake &mistake) {
        must(mistake.what()[0] != '\0', "who is refused is told why");
    }
}

void read_size(std::string_view text) {
    if (const auto bytes = parse_amount(text)) {
        must(parse_amount(tools::short_bytes(*bytes)) == bytes, "a size is read as it is shown");
        must(!tools::show_bytes(*bytes).empty(), "a size has a text");
    }
}

} // namespace

// An argument in each line.
void feed(std::string_view input) {
    std::vector<std::string> lines = {"program"};
    while (!input.empty()) {
        const std::string_view line = input.substr(0, input.find('\n'));
        input.remove_prefix(std::min(line.size() + 1, input.size()));
        lines.emplace_back(line.substr(0, line.find('\0')));
        read_size(line);
    }
    std::vector<const char *> arguments, without_exit;
    for (const std::string &line : lines) {
        arguments.push_back(line.c_str());
        // With these a tool prints and ends.
        if (line != "-h" && line != "--help" && line != "--version") {
            without_exit.push_back(line.c_str());
        }
    }
    start_launcher(arguments);
    start_tool(without_exit);
}

std::vector<std::string> seeds() {
    return {"",
            "-n\n4\n--bind\ncore\n--timeout=2.5\n--env\nA=b\n--label\n./a\n-n\n1",
            "-n4\n--\n-x",
            "-n",
            "--env",
            "--timeout\n1e999\na",
            "--timeout\nnan\na",
            "--bind=\na",
            "-n\n99999999999999999999\na",
            "--help",
            "--flag\n--size=16K\nword\n-",
            "--flag=1",
            "-",
            "--size\n16777215T",
            "8388608T\n18446744073709551615\n9223372036854775808\n0\n1023\n1025K\n 5\n5 "};
}

} // namespace xcoll::fuzz

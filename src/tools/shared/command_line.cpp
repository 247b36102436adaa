#include "tools/shared/command_line.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/shared/printed.h"
#include "xcoll.h"

namespace xcoll::tools {

namespace {

std::string usage(const Tool &tool) {
    return std::string("usage: ") + tool.name + " [options]" + (tool.arguments[0] ? " " : "") + tool.arguments + "\n";
}

[[noreturn]] void print_help(const Tool &tool) {
    std::string text = usage(tool) + "\n" + tool.purpose + "\n";
    size_t width = std::strlen("--help, --version");
    const auto shown = [](const Option &option) {
        return std::string(option.name) + (option.value ? std::string(" ") + option.value : "");
    };
    for (const Option &option : tool.options) {
        width = std::max(width, shown(option).size());
    }
    for (const Option &option : tool.options) {
        std::string left = shown(option);
        left.resize(width, ' ');
        text += "  " + left + "  " + option.meaning + "\n";
    }
    std::fputs((text + "  --help, --version\n").c_str(), stdout);
    std::exit(once_printed(tool.name, 0));
}

[[noreturn]] void print_version(const Tool &tool) {
    std::printf("%s %d.%d.%d\n", tool.name, XCOLL_VERSION_MAJOR, XCOLL_VERSION_MINOR, XCOLL_VERSION_PATCH);
    std::exit(once_printed(tool.name, 0));
}

} // namespace

std::vector<std::string_view> take_options(const Tool &tool, int count, const char *const *arguments) {
    std::vector<std::string_view> words;
    for (int at = 1; at < count; ++at) {
        const std::string_view word = arguments[at];
        if (word == "--") {
            words.insert(words.end(), arguments + at + 1, arguments + count);
            break;
        }
        if (!word.starts_with('-') || word == "-") {
            words.push_back(word);
            continue;
        }
        if (word == "--help" || word == "-h") {
            print_help(tool);
        }
        if (word == "--version") {
            print_version(tool);
        }
        const bool is_long = word.starts_with("--");
        const std::string_view name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
        const auto option = std::find_if(tool.options.begin(), tool.options.end(),
                                         [&](const Option &candidate) { return name == candidate.name; });
        if (option == tool.options.end() || (!option->value && name.size() != word.size())) {
            throw Mistake("unknown option '" + std::string(word) + "'");
        }
        std::string_view value;
        if (name.size() < word.size()) {
            value = word.substr(name.size() + (is_long ? 1 : 0));
        } else if (option->value) {
            value = ++at < count ? arguments[at] : "";
        }
        if (option->value && value.empty()) {
            throw Mistake(std::string(option->name) + " needs a value: " + option->value);
        }
        option->take(value);
    }
    return words;
}

bool is_a_further_rank() {
    const char *rank = std::getenv("XCOLL_RANK");
    return rank && std::strcmp(rank, "0") != 0;
}

int guarded_main(const Tool &tool, const std::function<int()> &run) {
    try {
        return once_printed(tool.name, run());
    } catch (const Mistake &mistake) {
        if (is_a_further_rank()) {
            return exit_usage;
        }
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n%sTry '%s --help'.\n", tool.name, mistake.what(), usage(tool).c_str(), tool.name);
        return exit_usage;
    } catch (const std::exception &error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", tool.name, error.what());
        return 1;
    }
}

long take_number(const char *option, std::string_view text, long least, long most) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        throw Mistake(std::string(option) + " " + std::string(text) + ": expected a number from " +
                      std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

} // namespace xcoll::tools

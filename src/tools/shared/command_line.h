// The command line of a tool: a table of options, and words between them.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xcoll::tools {

// What a user did wrong: the message says what was expected.
struct Mistake : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Option {
    const char *name;  // "-n", "--json"
    const char *value; // what its value is called in the help, or nullptr if it has none
    const char *meaning;
    std::function<void(std::string_view value)> take; // may throw Mistake
};

struct Tool {
    const char *name;
    const char *arguments; // behind the options in the first line of the help: "[section ...]"
    const char *purpose;   // one or a few lines
    std::vector<Option> options;
};

// Takes all options ("-n 4", "-n4", "--op sum", "--op=sum"), whose values are not empty, and returns the other words;
// "--" ends the options. --help and --version are everybody's: they print and exit. Throws Mistake.
std::vector<std::string_view> take_options(const Tool &tool, int count, const char *const *arguments);

// In a job every rank comes to the same; rank 0 says it for all.
bool is_a_further_rank();

// What main() returns: that of `run`, exit_usage after a Mistake, which is printed, or 1 if what `run` printed was
// lost.
constexpr int exit_usage = 2;
int guarded_main(const Tool &tool, const std::function<int()> &run);

// A number in [least, most]; throws Mistake with the option's name.
long take_number(const char *option, std::string_view text, long least, long most);

} // namespace xcoll::tools

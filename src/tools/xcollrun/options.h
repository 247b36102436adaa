// The command line of xcollrun.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace xcoll::launcher {

struct Options {
    int ranks = 0; // 0: as many as there are usable processors
    bool bind = false;
    bool label = false;
    int64_t timeout_ms = 0; // 0: none
    std::vector<std::string> environment;
    std::vector<std::string> command;
};

// What to print instead of running anything.
struct Notice {
    std::string text;
    bool is_error;
};

std::variant<Options, Notice> parse_options(int count, const char *const *arguments);

} // namespace xcoll::launcher

#include "tools/xcollrun/options.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "boot/launcher_protocol.h"
#include "xcoll.h"

namespace xcoll::launcher {

namespace {

constexpr const char *usage = "usage: xcollrun [-n N] [--bind core|none] [--timeout S] [--env K=V] [--label] program "
                              "[arguments]\n";

constexpr const char *help =
    "\n"
    "Runs N processes of a program on this machine as the ranks of one job.\n"
    "\n"
    "  -n N              number of ranks; default: one for each processor that this process may use\n"
    "  --bind core|none  core: rank i runs on the i-th usable processor only; default: none\n"
    "  --timeout S       end the job after S seconds, with exit code 124\n"
    "  --env K=V         set a variable for the ranks; may be given several times\n"
    "  --label           begin every line of output with the number of its rank\n"
    "  --help, --version\n"
    "\n"
    "Rank 0 reads this command's standard input, the others nothing. Signals are passed on to the ranks; a second\n"
    "SIGINT ends the job. If a rank fails, the others have 2 seconds to end by themselves, then they get SIGTERM and\n"
    "2 seconds later SIGKILL; so does everything that the ranks have left running at the end.\n"
    "\n"
    "Exit code: 0; that of the first rank that failed (128 + number of the signal that killed it); 124 after a\n"
    "timeout; 125 if xcollrun itself failed; 126 if the program cannot be run; 127 if it is not found.\n";

Notice mistake(const std::string &text) {
    return {"xcollrun: " + text + "\n" + usage + "Try 'xcollrun --help'.\n", true};
}

std::string version_text() {
    return "xcollrun " + std::to_string(XCOLL_VERSION_MAJOR) + "." + std::to_string(XCOLL_VERSION_MINOR) + "." +
           std::to_string(XCOLL_VERSION_PATCH) + "\n";
}

template <class Number> bool parse(std::string_view text, Number &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

// Takes the options one after the other; stops at the program.
class Parser {
public:
    Parser(int count, const char *const *arguments) : rest_(arguments + 1, arguments + count) {
    }

    std::variant<Options, Notice> run() {
        while (at_ < rest_.size() && rest_[at_].starts_with('-') && rest_[at_] != "-") {
            const std::string_view option = rest_[at_++];
            if (option == "--") {
                break;
            }
            if (auto notice = take(option)) {
                return *notice;
            }
        }
        options_.command.assign(rest_.begin() + static_cast<std::ptrdiff_t>(at_), rest_.end());
        if (options_.command.empty() || options_.command.front().empty()) {
            return mistake("no program to run");
        }
        return options_;
    }

private:
    std::optional<Notice> take(std::string_view option) {
        if (option == "--help" || option == "-h") {
            return Notice{std::string(usage) + help, false};
        }
        if (option == "--version") {
            return Notice{version_text(), false};
        }
        if (option == "--label") {
            options_.label = true;
            return std::nullopt;
        }
        for (const auto &[name, set] :
             {std::pair("-n", &Parser::set_ranks), std::pair("--bind", &Parser::set_bind),
              std::pair("--timeout", &Parser::set_timeout), std::pair("--env", &Parser::set_environment)}) {
            const size_t length = std::strlen(name);
            if (!option.starts_with(name)) {
                continue;
            }
            if (option.size() == length) {
                return at_ < rest_.size() ? (this->*set)(rest_[at_++]) : mistake(std::string(name) + " needs a value");
            }
            if (name[1] != '-') {
                return (this->*set)(option.substr(length));
            }
            if (option[length] == '=') {
                return (this->*set)(option.substr(length + 1));
            }
        }
        return mistake("unknown option '" + std::string(option) + "'");
    }

    std::optional<Notice> set_ranks(std::string_view value) {
        if (parse(value, options_.ranks) && options_.ranks >= 1 && options_.ranks <= most_ranks) {
            return std::nullopt;
        }
        return mistake("-n " + std::string(value) + ": expected a number of ranks from 1 to " +
                       std::to_string(most_ranks));
    }

    std::optional<Notice> set_bind(std::string_view value) {
        options_.bind = value == "core";
        if (value == "core" || value == "none") {
            return std::nullopt;
        }
        return mistake("--bind " + std::string(value) + ": expected core or none");
    }

    std::optional<Notice> set_timeout(std::string_view value) {
        double seconds = 0;
        constexpr double longest = 1e9; // thirty years
        if (!parse(value, seconds) || !(seconds >= 0.001 && seconds <= longest)) {
            return mistake("--timeout " + std::string(value) + ": expected seconds, from 0.001 to 1e9");
        }
        options_.timeout_ms = static_cast<int64_t>(seconds * 1000);
        return std::nullopt;
    }

    std::optional<Notice> set_environment(std::string_view value) {
        if (value.starts_with('=') || value.find('=') == std::string_view::npos) {
            return mistake("--env " + std::string(value) + ": expected NAME=VALUE");
        }
        options_.environment.emplace_back(value);
        return std::nullopt;
    }

    std::vector<std::string_view> rest_;
    size_t at_ = 0;
    Options options_;
};

} // namespace

std::variant<Options, Notice> parse_options(int count, const char *const *arguments) {
    return count < 1 ? mistake("no program to run") : Parser(count, arguments).run();
}

} // namespace xcoll::launcher

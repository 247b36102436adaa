// Settings from the environment and from a program: any text is a setting or an error that names it.
#include "fuzz/target.h"

#include <algorithm>

#include "base/config.h"
#include "base/error.h"
#include "coll/grouping.h"
#include "coll/preference.h"

namespace xcoll::fuzz {

namespace {

void use(const Settings &settings) {
    must(settings.timeout_ms != 0, "a limit of no time is no limit");
    must(settings.heap > 0 && settings.lend > 0 && settings.shm_budget > 0, "sizes are above 0");
    for (const Given &given : settings.given) {
        must(given.variable->trait != Variable::Trait::secret || given.value == "(hidden)",
             "a secret is not kept to be shown");
    }
    if (!settings.group_sizes.empty()) {
        const Grouping grouping = group_by_sizes(settings.group_sizes, {0, 1, 2, 3, 4, 100});
        must(grouping.group_of.back() < settings.group_sizes.size(), "there are no more groups than sizes");
    }
    read_preferences(settings);
}

} // namespace

// Lines NAME=value for the environment; the last is what a program gives: NAME=value;NAME=value.
void feed(std::string_view input) {
    std::vector<std::string> lines;
    while (!input.empty()) {
        const std::string_view line = input.substr(0, input.find('\n'));
        input.remove_prefix(std::min(line.size() + 1, input.size()));
        // It would name files of this machine; what is in one is another target's.
        if (line.find("TUNING_FILE") == std::string_view::npos) {
            lines.push_back(std::string("XCOLL_").append(line));
        }
    }
    const std::string own = lines.empty() ? "" : lines.back().substr(std::string_view("XCOLL_").size());
    std::vector<const char *> environment;
    for (const std::string &line : lines) {
        environment.push_back(line.c_str());
    }
    environment.push_back(nullptr);
    const char *const none[] = {nullptr};
    for (const auto &[given, variables] :
         {std::pair(own.c_str(), static_cast<const char *const *>(none)),
          std::pair(static_cast<const char *>(nullptr), static_cast<const char *const *>(environment.data()))}) {
        try {
            use(read_settings(given, variables));
        } catch (const Failure &failure) {
            must(failure.result() == XCOLL_ERR_CONFIG, "a bad setting is an error of the configuration");
            must(!failure.message().empty(), "the error names the setting");
        }
    }
}

std::vector<std::string> seeds() {
    std::string defaults;
    std::vector<std::string> all;
    for (const Variable &variable : variables()) {
        all.push_back(std::string(variable.name) + "=" + variable.value);
        defaults += all.back() + ";";
    }
    all.insert(all.end(), {defaults, "TIMEOUT=0.5\nSHM=off\nROOT=[fd00::1]:4711", "ALLREDUCE=ring;BCAST=nothing",
                           "GROUPS=2,2,3", "GROUPS=2147483647,2147483647", "GROUPS=99999999999999999999",
                           "TIMEOUT=0.0001", "HEAP= -18446744073709551615", "SHM_BUDGET=1024G", "TIMEOUT=1e-300",
                           "ROOT=:1", "SECRET=0123456789abcdef", "XCOLL_", "=", ";;=;"});
    return all;
}

} // namespace xcoll::fuzz

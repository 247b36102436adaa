// What the user asks for: an algorithm for an operation, named by a setting (XCOLL_ALLREDUCE=ring) or by a line of the
// tuning file, which may have conditions. The selection obeys where the algorithm can serve.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "coll/row.h"

namespace xcoll {

struct Range {
    size_t first = 0, last = std::numeric_limits<size_t>::max();
    bool holds(size_t value) const {
        return first <= value && value <= last;
    }
    bool operator==(const Range &) const = default;
};

struct Preference {
    Kind kind;
    const Row *row;
    std::string source; // "REDUCE=ring", "line 3 of /etc/xcoll.tuning"
    Range bytes{}, ranks{}, groups{};
    enum class Reach : uint8_t { any, local, network } reach = Reach::any;

    // Whatever the size of the message.
    bool concerns(const Team &team) const;
};

// What counts first comes first: settings, then the file's lines from the top. Throws Failure(XCOLL_ERR_CONFIG) if
// there is no such algorithm, or if the file says something else than xcoll_tuning(7) describes.
std::vector<Preference> read_preferences(const Settings &settings);
// The lines of a tuning file; `name` is for messages.
std::vector<Preference> parse_tuning(std::string_view text, const std::string &name);
// True if one of them names an algorithm that works by messages even inside a machine.
bool want_transport(const std::vector<Preference> &preferences);

// The algorithm with this name, or nullptr; and all names: "one_shot, ring".
const Row *find_algorithm(Kind kind, std::string_view name);
std::string algorithm_names(Kind kind);
// What users call by this name, first of all kinds that have it; Kind::none if there is nothing.
Kind find_collective(std::string_view name);
std::string collective_names();

} // namespace xcoll

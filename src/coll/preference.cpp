#include "coll/preference.h"

#include <algorithm>

#include "base/error.h"

namespace xcoll {

namespace {

// A setting is named like the collective, in capitals.
std::string setting_of(Kind kind) {
    std::string name = name_of(kind);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? c - 'a' + 'A' : c; });
    return name;
}

// As who wants the algorithm has written it.
std::string source_of(const Settings &settings, Kind kind) {
    const std::string setting = setting_of(kind);
    const auto last = std::find_if(settings.given.rbegin(), settings.given.rend(),
                                   [&](const Given &given) { return setting == given.variable->name; });
    const bool is_of_environment = last != settings.given.rend() && last->by == Given::By::environment;
    return (is_of_environment ? "XCOLL_" : "") + setting + '=' + settings.algorithm(kind);
}

} // namespace

bool Preference::concerns(const Team &team) const {
    const bool reached = reach == Reach::any || (reach == Reach::local) == (team.window != nullptr);
    return reached && ranks.holds(static_cast<size_t>(team.size)) && groups.holds(team.grouping.groups());
}

std::vector<Preference> read_preferences(const Settings &settings) {
    std::vector<Preference> all;
    for (int k = 0; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        const std::string &name = settings.algorithm(kind);
        if (name.empty()) {
            continue;
        }
        const std::string source = source_of(settings, named_with(kind));
        const Row *row = find_algorithm(kind, name);
        if (!row) {
            fail(XCOLL_ERR_CONFIG, "%s: \"%s\" is not an algorithm of %s: expected one of %s", source.c_str(),
                 name.c_str(), name_of(kind), algorithm_names(kind).c_str());
        }
        all.push_back({kind, row, source});
    }
    std::vector<Preference> lines = parse_tuning(settings.tuning, settings.tuning_file);
    std::move(lines.begin(), lines.end(), std::back_inserter(all));
    return all;
}

bool want_transport(const std::vector<Preference> &preferences) {
    return std::any_of(preferences.begin(), preferences.end(),
                       [](const Preference &one) { return one.row->needs == Row::Needs::transport; });
}

const Row *find_algorithm(Kind kind, std::string_view name) {
    const std::span<const Row> rows = algorithms(kind);
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row &row) { return name == row.name; });
    return found == rows.end() ? nullptr : &*found;
}

std::string algorithm_names(Kind kind) {
    std::string names;
    for (const Row &row : algorithms(kind)) {
        names += std::string(names.empty() ? "" : ", ") + row.name;
    }
    return names;
}

Kind find_collective(std::string_view name) {
    const Kind kind = kind_named(name);
    return traits(kind).is_collective ? kind : Kind::none;
}

std::string collective_names() {
    std::string names;
    for (const KindTraits &kind : kind_traits) {
        if (kind.is_collective) {
            names += std::string(names.empty() ? "" : ", ") + kind.name;
        }
    }
    return names;
}

} // namespace xcoll

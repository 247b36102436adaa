#include "core/describe_choices.h"

#include <cstring>

#include "core/json.h"

namespace xcoll {

namespace {

// Neighbouring sizes with the same answer.
struct Stretch {
    size_t above, up_to; // 0: any size
    const char *answer;
};

bool same(const char *a, const char *b) {
    return a == b || (a && b && std::strcmp(a, b) == 0);
}

// Asks for every power of two, which is how finely choices are made.
template <class Ask> std::vector<Stretch> stretches(Ask ask) {
    constexpr size_t largest = size_t{1} << 40;
    std::vector<Stretch> found{{0, 0, ask(1)}};
    for (size_t bytes = 2; bytes <= largest; bytes *= 2) {
        const char *answer = ask(bytes);
        if (!same(answer, found.back().answer)) {
            found.back().up_to = bytes / 2;
            found.push_back({bytes / 2, 0, answer});
        }
    }
    return found;
}

std::string limit(size_t bytes) {
    return bytes == 0 ? "null" : std::to_string(bytes);
}

std::string choices(const Comm &comm, Kind kind) {
    return list_of(stretches([&](size_t bytes) { return comm.choices().row(kind, bytes).name; }), [](const Stretch &s) {
        return format("{\"up_to\": %s, \"algorithm\": \"%s\"}", limit(s.up_to).c_str(), s.answer);
    });
}

// nullptr if it does serve.
const char *why_not(const Comm &comm, Kind kind, const Row &row, size_t bytes) {
    const Row &chosen = comm.choices().row(kind, bytes);
    if (&chosen == &row) {
        return nullptr;
    }
    if (const char *refusal = row.refusal(comm.team(), bytes)) {
        return refusal;
    }
    if (row.needs == Row::Needs::transport && comm.team().window) {
        return "inside a machine it serves only where a setting names it";
    }
    return &chosen != cheapest(kind, comm.team(), bytes) ? "a setting names another" : "expected to be slower";
}

std::string passed_over(const Comm &comm, Kind kind) {
    std::vector<std::string> entries;
    for (const Row &row : algorithms(kind)) {
        for (const Stretch &s : stretches([&](size_t bytes) { return why_not(comm, kind, row, bytes); })) {
            if (s.answer) {
                entries.push_back(format("{\"algorithm\": \"%s\", \"above\": %zu, \"up_to\": %s, \"why\": %s}",
                                         row.name, s.above, limit(s.up_to).c_str(), quoted(s.answer).c_str()));
            }
        }
    }
    return list_of(entries, [](const std::string &entry) { return entry; });
}

bool is_users(Kind kind, const Team &team) {
    const bool of_users = kind != Kind::words && kind != Kind::refused && !algorithms(kind).empty();
    return of_users && !(traits(kind).is_message && !team.window);
}

template <class Print> std::string for_each_kind(const Comm &comm, Print print) {
    std::string text;
    for (int k = 1; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        if (is_users(kind, comm.team())) {
            const char *name = kind == Kind::group ? "group" : name_of(kind);
            text += (text.empty() ? "" : ", ") + quoted(name) + ": " + print(comm, kind);
        }
    }
    return '{' + text + '}';
}

} // namespace

std::string describe_choices(const Comm &comm) {
    return for_each_kind(comm, choices);
}

std::string describe_passed_over(const Comm &comm) {
    return for_each_kind(comm, passed_over);
}

} // namespace xcoll

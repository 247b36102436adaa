#include "core/describe_choices.h"

#include "core/json.h"

namespace xcoll {

namespace {

// Neighbouring sizes with the same answer.
template <class Answer> struct Stretch {
    size_t above, up_to; // 0: any size
    Answer answer;
};

// Asks for every size at which a choice may change.
template <class Ask> auto stretches(const Comm &comm, Kind kind, Ask ask) {
    constexpr size_t largest = size_t{1} << 40;
    std::vector<Stretch<decltype(ask(1))>> found;
    size_t before = 0;
    for (const size_t bytes : comm.choices().steps(kind)) {
        if (bytes > largest) {
            break;
        }
        const auto answer = ask(bytes);
        if (found.empty() || !(answer == found.back().answer)) {
            if (!found.empty()) {
                found.back().up_to = before;
            }
            found.push_back({before, 0, answer});
        }
        before = bytes;
    }
    return found;
}

std::string limit(size_t bytes) {
    return bytes == 0 ? "null" : std::to_string(bytes);
}

std::string asked_by(const Preference *preference) {
    return preference ? ", \"asked_by\": " + quoted(preference->source) : "";
}

struct Serving {
    const Row *row;
    const Preference *by;
    bool operator==(const Serving &) const = default;
};

std::string order_of(const Row &row, const Team &team) {
    const Order order = row.order == Order::team ? team.order : row.order;
    return order == Order::none ? "" : format(", \"order\": \"%s\"", name_of(order));
}

std::string choices(const Comm &comm, Kind kind) {
    const auto serving = [&](size_t bytes) {
        const Choice choice = comm.choices().explain(kind, bytes);
        return Serving{choice.row, choice.by};
    };
    return list_of(stretches(comm, kind, serving), [&](const auto &s) {
        return format("{\"up_to\": %s, \"algorithm\": \"%s\"", limit(s.up_to).c_str(), s.answer.row->name) +
               order_of(*s.answer.row, comm.team()) + asked_by(s.answer.by) + '}';
    });
}

// Empty if it does serve.
struct Refusal {
    std::string why;
    const Preference *asked_by; // who wanted it all the same
    bool operator==(const Refusal &) const = default;
};

Refusal why_not(const Comm &comm, Kind kind, const Row &row, size_t bytes) {
    const Choice choice = comm.choices().explain(kind, bytes);
    if (choice.row == &row) {
        return {"", nullptr};
    }
    for (const Choice::PassedOver &one : choice.passed_over) {
        if (one.preference->row == &row) {
            return {one.reason, one.preference};
        }
    }
    if (const char *refusal = row.refusal(comm.team(), bytes)) {
        return {refusal, nullptr};
    }
    if (choice.by) {
        return {choice.by->source + " names another", nullptr};
    }
    const bool detour = row.needs == Row::Needs::transport && comm.team().window;
    return {detour ? "inside a machine it serves only where it is named" : "expected to be slower", nullptr};
}

std::string passed_over(const Comm &comm, Kind kind) {
    std::vector<std::string> entries;
    for (const Row &row : algorithms(kind)) {
        for (const auto &s : stretches(comm, kind, [&](size_t bytes) { return why_not(comm, kind, row, bytes); })) {
            if (!s.answer.why.empty()) {
                entries.push_back(format("{\"algorithm\": \"%s\", \"above\": %zu, \"up_to\": %s, \"why\": %s", row.name,
                                         s.above, limit(s.up_to).c_str(), quoted(s.answer.why).c_str()) +
                                  asked_by(s.answer.asked_by) + '}');
            }
        }
    }
    return list_of(entries, [](const std::string &entry) { return entry; });
}

bool is_users(Kind kind, const Team &team) {
    const bool of_users = kind != Kind::words && kind != Kind::refused && !algorithms(kind).empty();
    const bool in_memory = traits(kind).is_message || kind == Kind::group_reduce; // alone
    return of_users && !(in_memory && !team.window);
}

template <class Print> std::string for_each_kind(const Comm &comm, Print print) {
    std::string text;
    for (int k = 1; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        if (is_users(kind, comm.team())) {
            text += (text.empty() ? "" : ", ") + quoted(word_for(kind)) + ": " + print(comm, kind);
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

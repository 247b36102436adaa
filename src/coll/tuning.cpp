// The tuning file: one line for each preference, as xcoll_tuning(7) describes them.
//
//     # where            what for the calls                           which algorithm
//     allreduce          bytes 64K.. ranks 2..8 groups 1 local   ->   two_shot
#include <algorithm>
#include <optional>
#include <utility>

#include "base/amount.h"
#include "base/error.h"
#include "coll/preference.h"

namespace xcoll {

namespace {

// Each line is asked for each class of sizes when a communicator is made.
constexpr size_t most_lines = 1000;
// Of what is shown of a bad line.
constexpr size_t longest_shown = 60;

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view arrow = "->";

// One line, word by word.
class Line {
public:
    Line(std::string_view text, std::string source) : rest_(text), source_(std::move(source)) {
        step();
    }
    bool at_end() const {
        return word_.empty();
    }
    std::string_view word() const {
        return word_;
    }
    std::string_view take() {
        const std::string_view word = word_;
        step();
        return word;
    }
    const std::string &source() const {
        return source_;
    }
    [[noreturn]] void fail_at(std::string_view seen, const std::string &expected) const {
        fail(XCOLL_ERR_CONFIG, "%s: expected %s, but there is %s", source_.c_str(), expected.c_str(),
             shown(seen).c_str());
    }

private:
    void step() {
        const size_t begin = std::min(rest_.find_first_not_of(blanks), rest_.size());
        const size_t end = std::min(rest_.find_first_of(blanks, begin), rest_.size());
        word_ = rest_.substr(begin, end - begin);
        rest_ = rest_.substr(end);
    }
    static std::string shown(std::string_view seen) {
        if (seen.empty()) {
            return "nothing more";
        }
        std::string text(seen.substr(0, longest_shown));
        std::replace_if(
            text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        return '"' + text + (seen.size() > longest_shown ? "...\"" : "\"");
    }

    std::string_view rest_, word_;
    std::string source_;
};

bool take_amount(std::string_view text, size_t &value) {
    const std::optional<uint64_t> amount = parse_amount(text);
    value = amount.value_or(value);
    return amount.has_value();
}

// A..B, A.., ..B or A.
bool parse_range(std::string_view text, Range &range) {
    constexpr std::string_view dots = "..";
    const size_t middle = text.find(dots);
    if (middle == std::string_view::npos) {
        return take_amount(text, range.first) && take_amount(text, range.last);
    }
    const std::string_view first = text.substr(0, middle), last = text.substr(middle + dots.size());
    return (!first.empty() || !last.empty()) && (first.empty() || take_amount(first, range.first)) &&
           (last.empty() || take_amount(last, range.last)) && range.first <= range.last;
}

// Of two conditions on the same the last would win in silence.
void check_new(const Line &line, std::string_view condition, bool is_new) {
    if (!is_new) {
        line.fail_at(condition, "each condition once, and local or network");
    }
}

void read_range(Line &line, Range &range) {
    const std::string_view text = line.take();
    if (!parse_range(text, range)) {
        line.fail_at(text, "a number or a range that rises, such as 4096, 64K.., ..1M or 64K..1M");
    }
}

// Everything up to the arrow.
void read_conditions(Line &line, Preference &preference) {
    struct {
        std::string_view name;
        Range &range;
        bool is_given = false;
    } ranges[] = {{"bytes", preference.bytes}, {"ranks", preference.ranks}, {"groups", preference.groups}};
    while (line.word() != arrow) {
        const std::string_view condition = line.take();
        auto *found = std::find_if(std::begin(ranges), std::end(ranges),
                                   [&](const auto &range) { return range.name == condition; });
        if (found != std::end(ranges)) {
            check_new(line, condition, !std::exchange(found->is_given, true));
            read_range(line, found->range);
        } else if (condition == "local" || condition == "network") {
            check_new(line, condition, preference.reach == Preference::Reach::any);
            preference.reach = condition == "local" ? Preference::Reach::local : Preference::Reach::network;
        } else {
            line.fail_at(condition, "bytes, ranks, groups, local, network or ->");
        }
    }
    line.take();
}

Preference parse_line(Line &line) {
    const std::string_view collective = line.take();
    Preference preference{find_collective(collective), nullptr, line.source()};
    if (preference.kind == Kind::none) {
        line.fail_at(collective, "the name of a collective, one of " + collective_names());
    }
    read_conditions(line, preference);
    const std::string_view algorithm = line.take();
    preference.row = find_algorithm(preference.kind, algorithm);
    if (!preference.row) {
        line.fail_at(algorithm, std::string("an algorithm of ") + name_of(preference.kind) + ", one of " +
                                    algorithm_names(preference.kind));
    }
    if (!line.at_end()) {
        line.fail_at(line.word(), "the end of the line");
    }
    return preference;
}

// For every kind that users call by that name.
void add(std::vector<Preference> &all, Preference preference) {
    const Kind name = preference.kind;
    const std::string algorithm = preference.row->name;
    for (int k = 0; k < kinds; ++k) {
        preference.kind = static_cast<Kind>(k);
        preference.row = find_algorithm(preference.kind, algorithm);
        if (named_with(preference.kind) == name && preference.row) {
            all.push_back(preference);
        }
    }
}

} // namespace

std::vector<Preference> parse_tuning(std::string_view text, const std::string &name) {
    std::vector<Preference> all;
    size_t lines = 0; // that are not empty
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(whole.size() + 1, text.size()));
        Line line(whole.substr(0, whole.find('#')), format("line %d of %s", number, name.c_str()));
        if (line.at_end()) {
            continue;
        }
        if (++lines > most_lines) {
            fail(XCOLL_ERR_CONFIG, "%s: a tuning file has at most %zu lines", line.source().c_str(), most_lines);
        }
        add(all, parse_line(line));
    }
    return all;
}

} // namespace xcoll

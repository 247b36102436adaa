#include "tools/xcoll-tune/field.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tools/shared/command_line.h"
#include "tools/shared/library.h"

namespace xcoll::tune {

using tools::Json;
using tools::Mistake;
using tools::must;

namespace {

// A collective's setting has its name in capitals.
std::string setting_of(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return name;
}

bool knows(const Json &algorithms, const std::string &name) {
    return std::any_of(algorithms.items().begin(), algorithms.items().end(),
                       [&](const Json &entry) { return entry["algorithm"].text() == name; });
}

// Whether it serves or was passed over.
bool has_algorithm(const Json &description, const std::string &collective, const std::string &name) {
    return knows(description["algorithms"][collective], name) || knows(description["passed_over"][collective], name);
}

bool is_setting(const Json &description, const std::string &name) {
    const Json::Array &settings = description["settings"].items();
    return std::any_of(settings.begin(), settings.end(),
                       [&](const Json &setting) { return setting["name"].text() == "XCOLL_" + name; });
}

std::set<std::string> algorithm_names(const Json &description) {
    std::set<std::string> names;
    for (const char *list : {"algorithms", "passed_over"}) {
        for (const auto &[collective, entries] : description[list].members()) {
            for (const Json &entry : entries.items()) {
                names.insert(entry["algorithm"].text());
            }
        }
    }
    return names;
}

// What the library sees as the size of the message, see xcoll_tuning(7).
uint64_t message_bytes(const perf::Task &task, int ranks) {
    if (task.operation->shape != OP_REDUCE_SCATTERV) {
        return task.bytes();
    }
    size_t count = 0;
    for (int part = 0; part < ranks; ++part) {
        count += uneven(task.count, part);
    }
    return count * task.type->bytes;
}

perf::Task task_of(const perf::Operation &operation, uint64_t bytes, int ranks) {
    const perf::Type *type = perf::find_type("float32");
    const auto parts = operation.shape == OP_REDUCE_SCATTERV ? static_cast<uint64_t>(ranks) : 1;
    return {&operation, type, perf::find_reduction("sum"), perf::Form::blocking,
            std::max<uint64_t>(bytes / type->bytes / parts, 1)};
}

// Of all ranks' parts, where the size is that of one part.
bool fits(const perf::Task &task, int ranks) {
    constexpr uint64_t largest_buffer = uint64_t{64} << 20;
    return task.bytes() * static_cast<uint64_t>(ranks) <= largest_buffer;
}

} // namespace

std::string Entrant::serving(const std::string &collective, uint64_t bytes) const {
    for (const Json &choice : description["algorithms"][collective].items()) {
        if (choice["up_to"].is_null() || static_cast<double>(bytes) <= choice["up_to"].number()) {
            return choice["algorithm"].text();
        }
    }
    return "";
}

Field::Field(const perf::Member &member, const Options &options) : member_(member), options_(options) {
    usual_ = enter("");
    control_ = enter("");
    if (options.check.empty()) {
        enter_algorithms();
    } else {
        rivals_.push_back(enter("TUNING_FILE=" + options.check));
    }
    for (const Entrant &rival : rivals_) {
        check_equal(rival);
    }
}

Field::~Field() {
    for (Entrant &rival : rivals_) {
        xcoll_comm_free(&rival.comm);
    }
    xcoll_comm_free(&control_.comm);
    xcoll_comm_free(&usual_.comm);
}

Entrant Field::enter(const std::string &settings) const {
    xcoll_comm_config_t config;
    must(xcoll_comm_config_defaults(&config, sizeof config));
    config.settings = settings.empty() ? nullptr : settings.c_str();
    Entrant entrant;
    must(xcoll_comm_split_config(member_.comm, 0, member_.rank, &config, &entrant.comm));
    entrant.description = Json::parse(tools::description(entrant.comm));
    return entrant;
}

// Like is compared with like: of communicators of two ranks only so many get long slots.
void Field::check_equal(const Entrant &rival) const {
    const auto slots = [](const Entrant &entrant) { return entrant.description["memory"]["slot_bytes"].number(); };
    if (slots(rival) != slots(usual_)) {
        throw Mistake(
            "XCOLL_SHM_BUDGET has no room for slots of one size for all that are compared: raise it or leave it out");
    }
}

void Field::enter_algorithms() {
    for (const std::string &name : algorithm_names(usual_.description)) {
        std::string settings;
        for (const auto &[collective, choices] : usual_.description["algorithms"].members()) {
            if (is_setting(usual_.description, setting_of(collective)) &&
                has_algorithm(usual_.description, collective, name)) {
                settings += setting_of(collective) + '=' + name + ';';
            }
        }
        if (settings.empty()) {
            continue;
        }
        settings.pop_back();
        Entrant rival = enter(settings);
        // Messages inside a machine serve only where they are named: nobody would choose them.
        if (rival.description["messages"].truth() == usual_.description["messages"].truth()) {
            rivals_.push_back(std::move(rival));
        } else {
            must(xcoll_comm_free(&rival.comm));
        }
    }
}

std::vector<Bout> Field::bouts_of(const perf::Operation &operation) const {
    std::vector<Bout> found;
    for (const uint64_t size : options_.sizes) {
        const perf::Task task = task_of(operation, size, member_.size);
        Bout bout{task, message_bytes(task, member_.size), "", {}};
        bout.usual = usual_.serving(operation.name, bout.bytes);
        for (const Entrant &rival : rivals_) {
            const std::string algorithm = rival.serving(operation.name, bout.bytes);
            if (algorithm != bout.usual) {
                bout.rivals.push_back({rival.comm, algorithm});
            }
        }
        const bool again = !found.empty() && found.back().bytes == bout.bytes;
        if (!bout.rivals.empty() && !again && (options_.sizes_given || fits(task, member_.size))) {
            found.push_back(std::move(bout));
        }
    }
    return found;
}

std::vector<Bout> Field::bouts() const {
    std::vector<Bout> all;
    std::vector<const perf::Operation *> operations = options_.operations;
    if (operations.empty()) {
        for (const perf::Operation &operation : perf::operations()) {
            operations.push_back(&operation);
        }
    }
    for (const perf::Operation *operation : operations) {
        std::vector<Bout> found = bouts_of(*operation);
        if (found.empty() && !options_.operations.empty() && options_.check.empty()) {
            throw Mistake(std::string("--ops ") + operation->name + ": for " + std::to_string(member_.size) +
                          " ranks and these sizes one algorithm alone can serve it, beside messages between ranks "
                          "of one machine, which are not measured");
        }
        std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
}

void forget_choices() {
    unsetenv("XCOLL_TUNING_FILE");
    for (const perf::Operation &operation : perf::operations()) {
        unsetenv(("XCOLL_" + setting_of(operation.name)).c_str());
    }
}

} // namespace xcoll::tune

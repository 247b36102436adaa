#include "tools/xcoll-info/sections.h"

#include <algorithm>
#include <map>

#include "base/quoted.h"
#include "tools/shared/limits.h"
#include "tools/shared/sizes.h"
#include "tools/shared/text.h"
#include "tools/xcoll-info/machine_tree.h"

namespace xcoll::info {

using tools::counted;
using tools::Json;
using tools::padded;

namespace {

constexpr size_t label_width = 14;
constexpr const char *indent = "    ";

std::string line(const std::string &label, const std::string &text) {
    return indent + padded(label, label_width) + text + "\n";
}

std::string joined(const Json &names) {
    std::string text;
    for (const Json &name : names.items()) {
        tools::add_item(text, " ", name.text());
    }
    return text;
}

std::string print_build(const Json &all) {
    const Json &build = all["build"], &ucx = build["ucx"], &crypto = build["libcrypto"], &hwloc = build["hwloc"],
               &sanitizer = build["sanitizer"];
    return "xcoll " + build["version"].text() + "\n" + line("compiler", build["compiler"].text()) +
           line("processor", build["processor"].text()) +
           line("UCX", ucx.is_null() ? "none: no messages between machines" : ucx.text()) +
           line("libcrypto",
                crypto.is_null() ? "none: the library recognizes ranks by code of its own" : crypto.text()) +
           line("hwloc", hwloc.is_null() ? "none: sysfs describes the machine" : hwloc.text()) +
           (sanitizer.is_null() ? "" : line("sanitizer", sanitizer.text()));
}

std::string print_machine(const Json &all) {
    const Json &machine = all["machine"];
    const double usable = machine["usable_processors"].number();
    const size_t allowed = machine["allowed"].items().size();
    std::string use = counted(static_cast<long>(usable), "processor", "processors") + " for this process";
    if (usable < static_cast<double>(allowed)) {
        use += ": its affinity allows " + std::to_string(allowed) + ", but a quota of its cgroup fewer";
    }
    const Json &why_not = machine["why_not_hwloc"];
    const std::string by = machine["by"].text() + (why_not.is_null() ? "" : ": " + why_not.text());
    return "machine\n" + draw_machine(machine, indent) + line("told by", by) + line("usable", use) +
           line("kernels", all["kernels"].text() + " (this processor runs: " + joined(machine["kernels"]) + ")");
}

bool serves_anything(const Json &algorithms, const std::string &name) {
    const auto serves = [&](const auto &collective) {
        const Json::Array &choices = collective.second.items();
        return std::any_of(choices.begin(), choices.end(),
                           [&](const Json &choice) { return choice["algorithm"].text() == name; });
    };
    return std::any_of(algorithms.members().begin(), algorithms.members().end(), serves);
}

// Which private buffers the kernel copies; "" if none.
std::string print_copied(const Json &attached, const Json &algorithms) {
    const Json &from = attached["messages_from_bytes"];
    std::string text;
    if (!from.is_null()) {
        text = "in messages from " + tools::show_bytes(static_cast<uint64_t>(from.number())) + " on" +
               (attached["messages_one_way"].truth() ? "" : ", if their receivers send as well");
    }
    if (serves_anything(algorithms, "attached")) {
        text += (text.empty() ? "" : ", and ") + std::string("where attached serves");
    }
    return text;
}

// How large private buffers get from rank to rank.
std::string print_lending(const Json &all) {
    const Json &lending = all["lending"];
    if (lending.is_null()) {
        return "";
    }
    const auto bytes = [](const Json &number) { return tools::show_bytes(static_cast<uint64_t>(number.number())); };
    const Json &attached = lending["attached"];
    if (lending["private"].truth()) {
        return line("large buffers",
                    "used by the other threads where they lie, from " + bytes(lending["from_bytes"]) + " on");
    }
    if (!attached["why_not"].is_null()) {
        return line("large buffers", "through the ring: " + attached["why_not"].text());
    }
    const std::string copied = print_copied(attached, all["algorithms"]);
    return line("large buffers", copied.empty() ? "through the ring: with such caches copies by the kernel gain nothing"
                                                : "copied by the kernel " + copied + ", else through the ring");
}

// Who would say that a caller over TCP is a rank of this job.
std::string print_authentication(const Json &authentication) {
    const Json &by = authentication["by"], &why_not = authentication["why_no_library"];
    std::string text = by.is_null() ? "nobody" : by.text();
    text += why_not.is_null() ? "" : ": " + why_not.text();
    return line("TCP proofs", text);
}

std::string print_job(const Json &all) {
    const Json &memory = all["memory"];
    std::string groups;
    for (const Json &group : all["groups"].items()) {
        std::vector<int> ranks;
        for (const Json &rank : group.items()) {
            ranks.push_back(static_cast<int>(rank.number()));
        }
        tools::add_item(groups, " | ", show_list(ranks));
    }
    const auto bytes = [&](const char *name) {
        return tools::show_bytes(static_cast<uint64_t>(memory[name].number()));
    };
    std::string reach = all["shared_memory"].truth() ? "shared memory" : "";
    reach += all["messages"].truth() ? (reach.empty() ? "messages" : " and messages") : "";
    const bool crowded = memory["crowded"].truth();
    return "job\n" +
           line("ranks", counted(static_cast<long>(all["size"].number()), "rank", "ranks") + ", " +
                             std::to_string(static_cast<long>(memory["ranks"].number())) +
                             " on this machine, reached by " + reach) +
           line("groups", groups) +
           line("memory", "for each rank a ring of " + bytes("ring_bytes") + " for payloads, slots of " +
                              bytes("slot_bytes") + ", in at most " + bytes("segment_bytes") + " of address space") +
           print_lending(all) + print_authentication(all["authentication"]) +
           line("waiting", crowded ? "gives the processor away: more ranks than usable processors" : "spins at first");
}

std::string print_settings(const Json &all) {
    size_t names = 0, values = 0;
    for (const Json &setting : all["settings"].items()) {
        names = std::max(names, setting["name"].text().size());
        values = std::max(values, setting["value"].text().size());
    }
    std::string text = "settings\n";
    for (const Json &setting : all["settings"].items()) {
        const std::string &source = setting["source"].text(), &usual = setting["default"].text();
        text += indent + padded(setting["name"].text(), names) + "  " + padded(setting["value"].text(), values) + "  " +
                padded(source, std::string_view("environment").size()) + "  " + setting["meaning"].text();
        text += source == "default" || usual.empty() ? "\n" : " (default " + usual + ")\n";
    }
    return text;
}

std::string print_limits(const Json &) {
    std::string text = "limits\n";
    size_t width = 0;
    const std::vector<tools::Limit> limits = tools::read_limits();
    for (const tools::Limit &limit : limits) {
        width = std::max(width, std::string_view(limit.name).size());
    }
    constexpr size_t value_width = 12;
    for (const tools::Limit &limit : limits) {
        text += indent + padded(limit.name, width) + "  " + padded(show_limit(limit, limit.soft), value_width) + "  " +
                limit.meaning;
        text += limit.hard == limit.soft ? "\n" : " (may be raised to " + show_limit(limit, limit.hard) + ")\n";
    }
    return text;
}

std::string range(const Json &above, const Json &up_to) {
    const auto size = [](const Json &value) { return tools::short_bytes(static_cast<uint64_t>(value.number())); };
    if (above.number() == 0) {
        return up_to.is_null() ? "any size" : tools::format("up to %s", size(up_to).c_str());
    }
    const std::string from = tools::format("above %s", size(above).c_str());
    return up_to.is_null() ? from : from + " up to " + size(up_to);
}

std::string print_passed_over(const Json &entries) {
    // By algorithm: one often has several reasons, for several sizes.
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const Json &entry : entries.items()) {
        const std::string &name = entry["algorithm"].text();
        const bool always = entry["above"].number() == 0 && entry["up_to"].is_null();
        std::string reason = always ? "" : range(entry["above"], entry["up_to"]) + ": ";
        reason += entry["why"].text();
        if (reasons.empty() || reasons.back().first != name) {
            reasons.emplace_back(name, reason);
        } else {
            tools::add_item(reasons.back().second, "; ", reason);
        }
    }
    std::string text, names;
    for (size_t i = 0; i < reasons.size(); ++i) {
        tools::add_item(names, ", ", reasons[i].first);
        if (i + 1 == reasons.size() || reasons[i + 1].second != reasons[i].second) {
            text += tools::format("%s%snot %s: %s\n", indent, indent, names.c_str(), reasons[i].second.c_str());
            names.clear();
        }
    }
    return text;
}

std::string print_algorithms(const Json &all) {
    std::string text =
        "algorithms for " + counted(static_cast<long>(all["size"].number()), "rank", "ranks") + ", by bytes\n";
    for (const auto &[operation, choices] : all["algorithms"].members()) {
        std::string serving;
        const Json none;
        for (const Json &choice : choices.items()) {
            const std::string size = choice["up_to"].is_null() ? "" : ' ' + range(none, choice["up_to"]);
            tools::add_item(serving, ", ", choice["algorithm"].text() + size);
        }
        text += indent + padded(operation, label_width + 2) + serving + "\n";
        text += print_passed_over(all["passed_over"][operation]);
    }
    return text;
}

constexpr Section table[] = {{"build", print_build},   {"machine", print_machine},
                             {"job", print_job},       {"settings", print_settings},
                             {"limits", print_limits}, {"algorithms", print_algorithms}};

} // namespace

std::span<const Section> sections() {
    return table;
}

std::string limits_as_json() {
    const auto number = [](uint64_t value) { return value == tools::no_limit ? "null" : std::to_string(value); };
    std::string text;
    for (const tools::Limit &limit : tools::read_limits()) {
        constexpr const char *pattern = "{\"name\": %s, \"bytes\": %s, \"soft\": %s, \"hard\": %s, \"meaning\": %s}";
        tools::add_item(text, ", ",
                        tools::format(pattern, quoted(limit.name).c_str(), limit.is_bytes ? "true" : "false",
                                      number(limit.soft).c_str(), number(limit.hard).c_str(),
                                      quoted(limit.meaning).c_str()));
    }
    return '[' + text + ']';
}

} // namespace xcoll::info

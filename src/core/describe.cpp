#include "core/describe.h"

#include "base/error.h"

namespace xcoll {

namespace {

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        const bool printable = static_cast<unsigned char>(c) >= ' ';
        out += printable ? std::string(1, c) : format("\\u%04x", static_cast<unsigned char>(c));
    }
    return out + '"';
}

bool is_users(Kind kind) {
    return kind != Kind::none && kind != Kind::words && kind != Kind::refused && !algorithms(kind).empty();
}

// [{"up_to": 16384, "algorithm": "one_shot"}, ...]: one entry for each change of algorithm; null: any size.
std::string choices(const Comm &comm, Kind kind) {
    constexpr size_t largest = size_t{1} << 40;
    std::string text;
    const Row *last = nullptr;
    for (size_t bytes = 1; bytes <= largest; bytes *= 2) {
        const Row *row = &comm.choices().row(kind, bytes);
        if (last && row != last) {
            text +=
                format("%s{\"up_to\": %zu, \"algorithm\": \"%s\"}", text.empty() ? "" : ", ", bytes / 2, last->name);
        }
        last = row;
    }
    return '[' + text + format("%s{\"up_to\": null, \"algorithm\": \"%s\"}]", text.empty() ? "" : ", ", last->name);
}

} // namespace

std::string describe(const Comm &comm) {
    const Team &team = comm.team();
    std::string text = format("{\"rank\": %d, \"size\": %d, \"name\": ", team.rank, team.size);
    text += quoted(comm.membership().name);
    text += format(", \"operations_started\": %llu, \"shared_memory\": %s, \"messages\": %s, \"kernels\": \"%s\"",
                   static_cast<unsigned long long>(comm.sequence()), team.window ? "true" : "false",
                   team.transport ? "true" : "false", team.kernels->name);
    text += ", \"groups\": [";
    for (uint32_t group = 0; group < team.grouping.groups(); ++group) {
        text += group > 0 ? ", [" : "[";
        for (uint32_t i = 0; i < team.grouping.sizes[group]; ++i) {
            text += format("%s%d", i > 0 ? ", " : "", team.grouping.order[team.grouping.first[group] + i]);
        }
        text += ']';
    }
    text += "], \"algorithms\": {";
    const char *separator = "";
    for (int k = 1; k < kinds; ++k) {
        const auto kind = static_cast<Kind>(k);
        if (is_users(kind) && !(traits(kind).is_message && !team.window)) {
            text += separator + quoted(kind == Kind::group ? "group" : name_of(kind)) + ": " + choices(comm, kind);
            separator = ", ";
        }
    }
    return text + "}}";
}

} // namespace xcoll

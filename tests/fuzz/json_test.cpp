// What the library says of itself and what tools wrote earlier, read again: files can be anything.
#include "fuzz/target.h"

#include <cmath>

// Tools are no part of the library.
#include "tools/shared/json.cpp"

namespace xcoll::fuzz {

using tools::Json;

namespace {

// All that is in it, and that it can be asked for.
void visit(const Json &value) {
    must(std::isfinite(value.number()), "a number is one");
    for (const Json &item : value.items()) {
        visit(item);
    }
    for (const auto &[name, member] : value.members()) {
        visit(member);
    }
}

} // namespace

void feed(std::string_view input) {
    must(Json::parse(tools::quoted(input)).text() == input, "a text in quotes is read as it was");
    try {
        visit(Json::parse(input));
    } catch (const tools::Mistake &mistake) {
        must(std::string_view(mistake.what()).starts_with("not JSON at byte "), "the message names the place");
    }
}

std::vector<std::string> seeds() {
    return {"",
            "null",
            "[1, -2.5e3, true, false, null, \"a\\n\\u0041\\\\\"]",
            R"({"results": [{"op": "allreduce", "dtype": "float32", "reduce": "sum", "bytes": 8, "ranks": 2,)"
            R"( "form": "blocking", "loop": "osu", "median_us": 0.084}]})",
            R"({"checks": [{"name": "shm", "state": "good", "found": "64 KiB", "advice": ""}], "bad": 0})",
            "nan",
            "-inf",
            "1e999",
            std::string(100, '['),
            "{\"a\":{\"b\":[{}]},\"a\":1}"};
}

} // namespace xcoll::fuzz

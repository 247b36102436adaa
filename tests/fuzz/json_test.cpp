// What the library says of itself and what tools wrote earlier, read again: files can be anything.
#include "fuzz/target.h"

#include <cmath>
#include <iconv.h>

#include "base/quoted.h"

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

// As the C library sees it, of which UCS-4 would have more characters than there are.
bool is_utf8(std::string_view text) {
    const iconv_t conversion = iconv_open("UTF-32LE", "UTF-8");
    must(conversion != reinterpret_cast<iconv_t>(-1), "the C library knows UTF-8");
    std::string from(text), to(sizeof(char32_t) * (text.size() + 1), '\0');
    char *in = from.data(), *out = to.data();
    size_t in_left = from.size(), out_left = to.size();
    const bool is_whole = iconv(conversion, &in, &in_left, &out, &out_left) != static_cast<size_t>(-1);
    iconv_close(conversion);
    return is_whole;
}

} // namespace

void feed(std::string_view input) {
    const std::string read = Json::parse(quoted(input)).text();
    must(is_utf8(read), "what is read is UTF-8");
    must(read == input || !is_utf8(input), "a text in quotes is read as it was");
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
            "gr\xc3\xbc\xc3\x9f, \xe2\x82\xac, \xf0\x9f\x98\x80, \xc3, \xed\xa0\x80, \xc0\xaf, \xf4\x90\x80\x80",
            "{\"a\":{\"b\":[{}]},\"a\":1}"};
}

} // namespace xcoll::fuzz

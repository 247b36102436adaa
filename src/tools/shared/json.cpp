#include "tools/shared/json.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "tools/shared/command_line.h"

namespace xcoll::tools {

namespace {

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {
    }

    Json whole() {
        Json value = parse_value(0);
        skip_spaces();
        if (at_ != text_.size()) {
            fail("nothing more");
        }
        return value;
    }

private:
    // What is nested deeper was not written by a tool of ours, and the stack is finite.
    static constexpr int deepest = 64;

    [[noreturn]] void fail(const char *expected) const {
        throw Mistake("not JSON at byte " + std::to_string(at_) + ": expected " + expected);
    }
    void skip_spaces() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
            ++at_;
        }
    }
    bool take(char wanted) {
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != wanted) {
            return false;
        }
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        const bool there = text_.substr(at_, word.size()) == word;
        at_ += there ? word.size() : 0;
        return there;
    }

    Json parse_value(int depth) {
        if (depth > deepest) {
            fail("fewer levels");
        }
        if (take('{')) {
            return parse_object(depth);
        }
        if (take('[')) {
            return parse_array(depth);
        }
        if (take('"')) {
            return Json(parse_string());
        }
        if (take_word("null")) {
            return {};
        }
        if (take_word("true")) {
            return Json(true);
        }
        return take_word("false") ? Json(false) : parse_number();
    }

    Json parse_number() {
        double value = 0;
        const char *first = text_.data() + at_;
        const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
        // from_chars takes "inf" and "nan" too.
        if (error != std::errc() || !std::isfinite(value)) {
            fail("a value");
        }
        at_ += static_cast<size_t>(end - first);
        return Json(value);
    }

    Json parse_array(int depth) {
        Json::Array items;
        if (take(']')) {
            return Json(std::move(items));
        }
        do {
            items.push_back(parse_value(depth + 1));
        } while (take(','));
        if (!take(']')) {
            fail(", or ]");
        }
        return Json(std::move(items));
    }

    Json parse_object(int depth) {
        Json::Object members;
        if (take('}')) {
            return Json(std::move(members));
        }
        do {
            if (!take('"')) {
                fail("a name in quotes");
            }
            std::string name = parse_string();
            if (!take(':')) {
                fail(":");
            }
            members.emplace_back(std::move(name), parse_value(depth + 1));
        } while (take(','));
        if (!take('}')) {
            fail(", or }");
        }
        return Json(std::move(members));
    }

    std::string parse_string() {
        std::string value;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] != '\\') {
                value += text_[at_];
                continue;
            }
            ++at_;
            value += parse_escape();
        }
        if (at_ == text_.size()) {
            fail("the end of a string");
        }
        ++at_;
        return value;
    }

    // Behind the backslash; leaves at_ on the last character. Only control characters are written as numbers here.
    char parse_escape() {
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const size_t letter = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
        if (letter != std::string_view::npos) {
            return meanings[letter];
        }
        constexpr size_t digits = 4;
        const std::string_view hex = text_.substr(std::min(at_ + 1, text_.size()), digits);
        unsigned code = 0;
        const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
        constexpr unsigned first_beyond_ascii = 0x80;
        if (text_.substr(at_, 1) != "u" || error != std::errc() || end != hex.data() + digits ||
            code >= first_beyond_ascii) {
            fail("an escape of an ASCII character");
        }
        at_ += digits;
        return static_cast<char>(code);
    }

    std::string_view text_;
    size_t at_ = 0;
};

} // namespace

Json Json::parse(std::string_view text) {
    return Parser(text).whole();
}

const Json &Json::operator[](std::string_view name) const {
    for (const auto &[key, value] : members()) {
        if (key == name) {
            return value;
        }
    }
    return nothing<Json>;
}

} // namespace xcoll::tools

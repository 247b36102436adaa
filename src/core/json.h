// The few things that writing JSON takes.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace xcoll {

inline std::string quoted(const std::string &text) {
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

// Joins what print(item) gives for each item, in brackets.
template <class Items, class Print> std::string list_of(const Items &items, Print print) {
    std::string text;
    for (const auto &item : items) {
        text += (text.empty() ? "" : ", ") + print(item);
    }
    return '[' + text + ']';
}

} // namespace xcoll

// Text among words that others look at (base/stamped.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "base/stamped.h"

namespace xcoll {

// What does not fit is cut off.
template <size_t bytes> struct Text {
    uint64_t words[bytes / sizeof(uint64_t)];

    static Text of(std::string_view text) {
        Text words{};
        std::memcpy(words.words, text.data(), text.size() < bytes ? text.size() : bytes);
        return words;
    }
    std::string text() const {
        const auto *begin = reinterpret_cast<const char *>(words);
        return {begin, strnlen(begin, bytes)};
    }
};

template <size_t bytes> void show_text(Text<bytes> &to, std::string_view text) {
    const auto words = Text<bytes>::of(text);
    for (size_t i = 0; i < std::size(words.words); ++i) {
        show(to.words[i], words.words[i]);
    }
}

} // namespace xcoll

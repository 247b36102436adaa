#include "base/quoted.h"

#include "base/utf8.h"

namespace xcoll {

std::string quoted(std::string_view text) {
    constexpr const char *hex = "0123456789abcdef";
    constexpr const char *replacement = "\xef\xbf\xbd"; // U+FFFD, as everybody writes what is no character
    std::string out = "\"";
    for (size_t bytes; !text.empty(); text.remove_prefix(bytes)) {
        const char c = text.front();
        const auto code = static_cast<unsigned char>(c);
        const size_t whole = character_bytes(text);
        bytes = whole == 0 ? 1 : whole;
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        if (code < ' ') {
            out += std::string("\\u00") + hex[code >> 4] + hex[code & 15];
        } else {
            out += whole == 0 ? replacement : text.substr(0, bytes);
        }
    }
    return out + '"';
}

} // namespace xcoll

#include "tools/shared/printable.h"

#include "base/utf8.h"

namespace xcoll::tools {

namespace {

// One character: those below the blank command, the one behind the tilde does, and once more 32 behind that, which
// UTF-8 writes as 0xc2 and a byte below 0xa0.
bool is_command(std::string_view character) {
    const auto at = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
    return at(0) < ' ' || at(0) == 0x7f || (at(0) == 0xc2 && at(1) < 0xa0);
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t bytes = character_bytes(text);
        const std::string_view character = text.substr(0, bytes);
        out += bytes == 0 || is_command(character) ? "?" : character;
        text.remove_prefix(bytes == 0 ? 1 : bytes);
    }
    return out;
}

} // namespace xcoll::tools

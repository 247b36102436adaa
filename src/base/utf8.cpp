#include "base/utf8.h"

namespace xcoll {

size_t character_bytes(std::string_view text) {
    const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto within = [](unsigned code, unsigned least, unsigned most) { return least <= code && code <= most; };
    const auto continues = [&](size_t i) { return within(at(i), 0x80, 0xbf); };
    const unsigned first = at(0), second = at(1);
    if (first < 0x80) {
        return 1;
    }
    if (within(first, 0xc2, 0xdf)) {
        return continues(1) ? 2 : 0;
    }
    // The shortest form only, no halves of pairs, and nothing beyond the last character: so the second byte is bound.
    if (within(first, 0xe0, 0xef)) {
        const bool fits = within(second, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return fits && continues(2) ? 3 : 0;
    }
    const bool fits =
        within(first, 0xf0, 0xf4) && within(second, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return fits && continues(2) && continues(3) ? 4 : 0;
}

} // namespace xcoll

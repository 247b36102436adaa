// How tests compare hashes with what the standards print.
#pragma once

#include <cstdio>
#include <string>

#include "boot/sha256.h"

namespace xcoll {

inline std::string hex(const Hash &hash) {
    std::string text;
    for (const uint8_t byte : hash) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", byte);
        text += two;
    }
    return text;
}

} // namespace xcoll

// Lists in JSON.
#pragma once

#include <string>

#include "base/quoted.h"

namespace xcoll {

// Joins what print(item) gives for each item, in brackets.
template <class Items, class Print> std::string list_of(const Items &items, Print print) {
    std::string text;
    for (const auto &item : items) {
        text += (text.empty() ? "" : ", ") + print(item);
    }
    return '[' + text + ']';
}

} // namespace xcoll

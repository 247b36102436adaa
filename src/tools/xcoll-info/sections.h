// What xcoll-info prints: one function for each section, from what the library says about itself.
#pragma once

#include <span>
#include <string>

#include "tools/shared/json.h"

namespace xcoll::info {

struct Section {
    const char *name;
    std::string (*print)(const tools::Json &description);
};

std::span<const Section> sections();
// The limits of the system, which only the tool knows, as a member of the JSON output.
std::string limits_as_json();

} // namespace xcoll::info

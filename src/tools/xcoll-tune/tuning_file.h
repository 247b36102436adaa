// The file that xcoll_tuning(7) describes, made of what was found.
#pragma once

#include <string>
#include <vector>

#include "tools/shared/json.h"
#include "tools/xcoll-tune/finding.h"

namespace xcoll::tune {

// Findings in the order of Field::bouts(); the description is that of the library's own choice.
std::string tuning_text(const std::vector<Finding> &findings, const tools::Json &description);

} // namespace xcoll::tune

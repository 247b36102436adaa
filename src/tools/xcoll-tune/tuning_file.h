// The file that xcoll_tuning(7) describes, made of what was found.
#pragma once

#include <string>
#include <vector>

#include "tools/shared/json.h"
#include "tools/xcoll-tune/finding.h"

namespace xcoll::tune {

// Findings in the order of Field::bouts(); the description is that of the library's own choice.
std::string tuning_text(const std::vector<Finding> &findings, const tools::Json &description);

// Throws Mistake if no file can be written there.
void check_target(const std::string &path);
// The whole text or nothing: readers see the file that was there before until the new one is complete.
void write_whole(const std::string &path, const std::string &text);

} // namespace xcoll::tune

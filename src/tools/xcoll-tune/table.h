// What xcoll-tune shows.
#pragma once

#include <vector>

#include "tools/xcoll-tune/finding.h"

namespace xcoll::tune {

// Where another algorithm is clearly faster.
void print_winners(const std::vector<Finding> &findings, const Entrant &usual);
// Each size at which a file names another algorithm, with a verdict. Returns how many are clearly slower.
int print_verdicts(const std::vector<Finding> &findings, const Entrant &usual, const std::string &file);

} // namespace xcoll::tune

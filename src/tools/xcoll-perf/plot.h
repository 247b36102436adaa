// Results as a picture.
#pragma once

#include <string>
#include <vector>

#include "tools/xcoll-perf/record.h"

namespace xcoll::perf {

// Of these results, and of earlier ones of the same operations, which are called `name_of_earlier`, the medians over
// the sizes, both logarithmic: a panel for each operation, as SVG that needs nothing else, light or dark as the viewer
// likes it.
std::string draw(const std::vector<Record> &records, const std::vector<Record> &earlier,
                 const std::string &name_of_earlier);

} // namespace xcoll::perf

// Which algorithm serves which size, and why the others do not, as JSON.
#pragma once

#include <string>

#include "core/comm.h"

namespace xcoll {

// {"allreduce": [{"up_to": 16384, "algorithm": "one_shot", "order": "groups"}, ...]}: one entry for each change; null:
// any size; "asked_by" if a setting or a line of the tuning file names it.
std::string describe_choices(const Comm &comm);
// {"allreduce": [{"algorithm": "ring", "above": 0, "up_to": null, "why": "..."}, ...]}
std::string describe_passed_over(const Comm &comm);

} // namespace xcoll

// Which algorithm serves which size, and why the others do not, as JSON.
#pragma once

#include <string>

#include "core/comm.h"

namespace xcoll {

// {"allreduce": [{"up_to": 16384, "algorithm": "one_shot"}, ...]}: one entry for each change; null: any size.
std::string describe_choices(const Comm &comm);
// {"allreduce": [{"algorithm": "ring", "above": 0, "up_to": null, "why": "..."}, ...]}
std::string describe_passed_over(const Comm &comm);

} // namespace xcoll

#pragma once

#include <vector>

namespace xcoll::launcher {

// The processors that this process may use by its affinity, ascending; at least one.
std::vector<int> usable_processors();
// Binds the calling process.
void bind_to(int processor);

} // namespace xcoll::launcher

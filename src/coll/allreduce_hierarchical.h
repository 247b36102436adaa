// What the selection needs to know of allreduce_hierarchical.cpp.
#pragma once

#include "base/op.h"

namespace xcoll {

// The leader keeps its group's partial sum and the result in one slot of its board.
bool fits_leaders_slot(const Op &op);

} // namespace xcoll

// What the tables of algorithms (coll/rows.cpp) say of exchange_attached.cpp.
#pragma once

#include "coll/algorithm.h"

namespace xcoll {

// Whether it serves parts of a group or a reshard, of which this rank gives so much. No choice of all ranks: who lends
// tells it.
bool attaches_parts(const Team &team, size_t bytes);

const char *not_attachable(const Team &team, size_t bytes);
// Of `bytes` from a root to all or from all to a root; of so many from each to all; of so many for each of the others.
double cost_attached(const Team &team, size_t bytes);
double cost_attached_gathered(const Team &team, size_t bytes);
double cost_attached_all_to_all(const Team &team, size_t bytes);
double cost_attached_scattered(const Team &team, size_t bytes);

} // namespace xcoll

// Which ranks are added up first. All algorithms inside a node add in the same order, so that the choice of one never
// shows in the bits: each group from its lowest rank to its highest, then the groups' sums in the order of their
// lowest ranks. Ranks under one L3 (or NUMA node, or socket) are a group, so a hierarchy can compute one sum per group
// and send only that across.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/machine.h"

namespace xcoll {

struct Grouping {
    std::vector<uint32_t> sizes;    // of each group
    std::vector<int> order;         // ranks in the order of addition: group 0's, group 1's, ...
    std::vector<uint32_t> group_of; // by rank
    std::vector<uint32_t> first;    // of each group: where it begins in `order`

    uint32_t groups() const {
        return static_cast<uint32_t>(sizes.size());
    }
    // The rank that speaks for a group: its lowest.
    int leader(uint32_t group) const {
        return order[first[group]];
    }
};

// One group of all ranks.
Grouping one_group(int ranks);
// By labels: ranks with equal labels are a group. Labels must be equal on all ranks of the communicator.
Grouping group_by(const std::vector<int> &labels);
// Sizes count node ranks off; who is beyond the last belongs to the last group.
Grouping group_by_sizes(const std::vector<int> &sizes, const std::vector<int> &node_ranks);
// By the lowest level of the machine at which the ranks fall into several groups of several ranks; one group if there
// is none or some rank's place is unknown.
Grouping group_by_place(const std::vector<Place> &places);

} // namespace xcoll

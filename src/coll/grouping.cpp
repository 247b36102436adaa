#include "coll/grouping.h"

#include <algorithm>
#include <numeric>

namespace xcoll {

Grouping one_group(int ranks) {
    return group_by(std::vector<int>(static_cast<size_t>(ranks), 0));
}

Grouping group_by(const std::vector<int> &labels) {
    Grouping grouping;
    std::vector<int> seen;
    grouping.group_of.resize(labels.size());
    for (size_t rank = 0; rank < labels.size(); ++rank) {
        const auto found = std::find(seen.begin(), seen.end(), labels[rank]);
        grouping.group_of[rank] = static_cast<uint32_t>(found - seen.begin());
        if (found == seen.end()) {
            seen.push_back(labels[rank]);
            grouping.sizes.push_back(0);
        }
        ++grouping.sizes[grouping.group_of[rank]];
    }
    grouping.first.resize(grouping.sizes.size());
    std::exclusive_scan(grouping.sizes.begin(), grouping.sizes.end(), grouping.first.begin(), 0u);
    std::vector<uint32_t> next = grouping.first;
    grouping.order.resize(labels.size());
    for (size_t rank = 0; rank < labels.size(); ++rank) {
        grouping.order[next[grouping.group_of[rank]]++] = static_cast<int>(rank);
    }
    return grouping;
}

Grouping group_by_sizes(const std::vector<int> &sizes, const std::vector<int> &node_ranks) {
    std::vector<int64_t> ends(sizes.begin(), sizes.end());
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    ends.pop_back();
    std::vector<int> labels;
    for (const int rank : node_ranks) {
        labels.push_back(static_cast<int>(std::upper_bound(ends.begin(), ends.end(), rank) - ends.begin()));
    }
    return group_by(labels);
}

Grouping group_by_place(const std::vector<Place> &places) {
    std::vector<int> labels(places.size());
    for (int32_t Place::*level : {&Place::l3, &Place::numa, &Place::socket}) {
        std::transform(places.begin(), places.end(), labels.begin(),
                       [level](const Place &place) { return place.*level; });
        if (std::find(labels.begin(), labels.end(), -1) != labels.end()) {
            continue;
        }
        Grouping grouping = group_by(labels);
        if (grouping.groups() > 1 && grouping.groups() < places.size()) {
            return grouping;
        }
    }
    return one_group(static_cast<int>(places.size()));
}

} // namespace xcoll

// In which order an algorithm adds up what the ranks give it. A communicator has one order of its own (Team::order),
// groups or tree, which most algorithms follow; some have another, and then a choice between algorithms shows in the
// bits.
//
//     6 ranks in two groups     groups    ((0 + 1) + 2) + ((3 + 4) + 5)
//                               tree      ((0 + 1) + (2 + 3)) + (4 + 5)
//                               ranks     ((((0 + 1) + 2) + 3) + 4) + 5
//                               around    (((((2 + 3) + 4) + 5) + 0) + 1      in the third block
#pragma once

#include <cstdint>

namespace xcoll {

enum class Order : uint8_t {
    none,   // nothing is added up
    team,   // the communicator's; scans and operators of users go by rank
    ranks,  // from the lowest rank to the highest
    groups, // ranks that are near each other first (coll/grouping.h): depends on where the ranks run
    tree,   // neighbours, then pairs of neighbours, and so on (coll/tree.h): depends on the number of ranks alone
    around, // each block of the message from another rank on: depends on the number of elements
};
constexpr const char *name_of(Order order) {
    constexpr const char *names[] = {"none", "team", "ranks", "groups", "tree", "around"};
    return names[static_cast<int>(order)];
}

} // namespace xcoll

// The balanced tree over the ranks: the order of additions that depends on nothing but the number of ranks.
//
//     6 inputs, 4 corners: the first two take in a neighbour      ((0 + 1) + (2 + 3)) + (4 + 5)
//
//          0   1   2   3   4   5
//           \ /     \ /    |   |
//            corner  corner  corner
//                \  /          \ /
//                  `-----+------'
//
// There are as many corners as the largest power of two allows; each of the first `extra` holds two inputs. Above them
// the tree is binary, from left to right: what allreduce_doubling.cpp computes message by message.
#pragma once

#include <bit>

#include "coll/algorithm.h"

namespace xcoll {

struct TreeShape {
    int corners, extra;

    static TreeShape of(int inputs) {
        const auto corners = static_cast<int>(std::bit_floor(static_cast<unsigned>(inputs)));
        return {corners, inputs - corners};
    }
    // The first input of a corner, and how many there are.
    int first(int corner) const {
        return corner < extra ? 2 * corner : corner + extra;
    }
    int inputs(int corner) const {
        return corner < extra ? 2 : 1;
    }
};

// out = all inputs in the order of the tree, whatever their groups are. `out` may be one of the inputs.
void reduce_as_tree(const Team &team, const Op &op, void *out, const Inputs &inputs, size_t count);

} // namespace xcoll

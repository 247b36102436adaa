// Adding up what came in messages: two inputs at a time, the one of the lower ranks first.
//
// Half precision is added up in float, and a sum that is not yet complete travels as float, so that it is rounded once:
// `lift` makes the first sum from the users' data, `carry` adds two sums, `lower` adds the last two and rounds. For all
// other types the three are the same addition, and `lower` alone divides for an average.
#pragma once

#include "coll/algorithm.h"

namespace xcoll {

inline bool sums_are_wider(const Op &op) {
    return accumulator_of(op.dtype) != op.dtype;
}
inline size_t sum_bytes(const Op &op, size_t count) {
    return count * size_of(accumulator_of(op.dtype));
}

inline void reduce_some(const Team &team, Stage stage, const Op &op, void *out, const Inputs &inputs, size_t count) {
    if (count > 0) {
        team.kernels->reduction(stage, op.op, op.dtype)(out, inputs, count);
    }
}

inline void reduce_pair(const Team &team, Stage stage, const Op &op, void *out, const void *lower, const void *upper,
                        size_t count) {
    const void *const data[] = {lower, upper};
    const uint32_t group_size = 2;
    reduce_some(team, stage, op, out, {data, &group_size, 1, static_cast<uint32_t>(team.size)}, count);
}

// One rank's data in the form of a sum, or as a result that nothing else goes into.
inline void reduce_one(const Team &team, Stage stage, const Op &op, void *out, const void *in, size_t count) {
    const uint32_t group_size = 1;
    reduce_some(team, stage, op, out, {&in, &group_size, 1, static_cast<uint32_t>(team.size)}, count);
}

} // namespace xcoll

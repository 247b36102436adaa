// The description of a tensor that is distributed over ranks, checked and completed: who has what of it, before and
// after.
#pragma once

#include <vector>

#include "base/op.h"
#include "xcoll.h"

namespace xcoll::api {

// Indices of one dimension.
struct Interval {
    int64_t first = 0, count = 0;

    int64_t end() const {
        return first + count;
    }
    Interval operator&(const Interval &other) const {
        const int64_t begin = std::max(first, other.first);
        return {begin, std::max<int64_t>(0, std::min(end(), other.end()) - begin)};
    }
};

// One side: a split along `dim`, by rank, and this rank's part in memory.
struct Split {
    int dim; // 0 where everybody has everything
    std::vector<Interval> parts;
    std::vector<ptrdiff_t> strides; // bytes
};

struct Tensor {
    xcoll_dtype_t dtype;
    xcoll_op_t op;
    std::vector<int64_t> shape;
    size_t elements;
    Split from, to;
    uint32_t hash; // of all that is equal on all ranks

    // Elements of a rank's part.
    int64_t size(const Split &split, int rank) const;
    // What has these indices of from.dim and those of to.dim, in the order of the tensor's indices, on either side of
    // this rank; offsets count from the begin of its part.
    void append_box(Shape &shape, const Split &side, int rank, const Interval &from, const Interval &to) const;
};

// Throws ARGUMENT, TYPE or UNSUPPORTED.
Tensor read_tensor(const xcoll_tensor_t *tensor, int from_dim, int to_dim, int rank, int ranks);

} // namespace xcoll::api

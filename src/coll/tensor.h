// A tensor that is distributed over ranks: who has what of it, before and after.
#pragma once

#include <algorithm>
#include <vector>

#include "base/shape.h"

namespace xcoll {

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
    int dim = 0; // also where everybody has everything
    std::vector<Interval> parts;
    std::vector<ptrdiff_t> strides; // bytes
};

struct Tensor {
    Dtype dtype = Dtype::none;
    std::vector<int64_t> shape;
    size_t elements = 0;
    Split from, to;

    int64_t length(const Split &split) const {
        return shape[static_cast<size_t>(split.dim)];
    }
    // Every rank has everything.
    bool is_whole(const Split &split) const;
    // Elements of a rank's part.
    int64_t size(const Split &split, int rank) const;
    // What has these indices of from.dim and those of to.dim, in the order of the tensor's indices, on either side of
    // this rank; offsets count from the begin of its part.
    void append_box(Shape &shape, const Split &side, int rank, const Interval &from, const Interval &to) const;
};

} // namespace xcoll

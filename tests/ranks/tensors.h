// Tensors that are split over ranks, in code of its own: who has which element where, and what becomes of copies.
#pragma once

#include <algorithm>
#include <random>

#include "ranks.h"

namespace tensors {

using Indices = std::vector<int64_t>;
using Random = std::mt19937_64;

// What a rank has of a tensor.
struct Part {
    Indices first, count, strides;
    int64_t elements() const {
        int64_t n = 1;
        for (const int64_t c : count) {
            n *= c;
        }
        return n;
    }
    // From the first of its elements to the last, with strides of 0 or more.
    size_t reach() const {
        int64_t far = 1;
        for (size_t d = 0; d < count.size(); ++d) {
            if (count[d] == 0) {
                return 0;
            }
            far += (count[d] - 1) * strides[d];
        }
        return static_cast<size_t>(far);
    }
};

// body(the tensor's indices, place in the part)
template <class Body> void for_each(const Part &part, Body body) {
    Indices at = part.first;
    for (int64_t i = 0; i < part.elements(); ++i) {
        int64_t place = 0, rest = i;
        for (size_t d = part.count.size(); d-- > 0;) {
            at[d] = part.first[d] + rest % part.count[d];
            place += rest % part.count[d] * part.strides[d];
            rest /= part.count[d];
        }
        body(at, static_cast<size_t>(place));
    }
}

struct Case {
    Indices shape;
    int from_dim, to_dim;
    Indices from_first, from_count, to_first, to_count; // by rank; empty: even
    xcoll_op_t op = 0;
    int64_t row_gap = 0, element_gap = 0; // of the strides
};

inline Indices even(int64_t length, int ranks, Indices &first) {
    Indices count;
    int64_t next = 0;
    for (int p = 0; p < ranks; ++p) {
        first.push_back(next);
        count.push_back(length / ranks + (p < length % ranks ? 1 : 0));
        next += count.back();
    }
    return count;
}

inline Part part_of(const Case &c, bool before, int rank, int ranks, bool gaps) {
    const int dim = before ? c.from_dim : c.to_dim;
    Indices first = before ? c.from_first : c.to_first, count = before ? c.from_count : c.to_count;
    Part part;
    part.first.assign(c.shape.size(), 0);
    part.count = c.shape;
    if (dim >= 0) {
        const auto d = static_cast<size_t>(dim), r = static_cast<size_t>(rank);
        if (count.empty()) {
            first.clear();
            count = even(c.shape[d], ranks, first);
        }
        part.first[d] = first[r];
        part.count[d] = count[r];
    }
    part.strides.resize(c.shape.size());
    int64_t next = gaps ? 1 + c.element_gap : 1;
    for (size_t d = c.shape.size(); d-- > 0;) {
        part.strides[d] = next;
        next = next * std::max<int64_t>(1, part.count[d]) + (gaps && d % 2 ? c.row_gap : 0);
    }
    return part;
}

inline bool contains(const Part &part, const Indices &at) {
    for (size_t d = 0; d < at.size(); ++d) {
        if (at[d] < part.first[d] || at[d] >= part.first[d] + part.count[d]) {
            return false;
        }
    }
    return true;
}

// Small numbers, exact in float in any order of addition.
inline float value(const Indices &at, int rank) {
    uint64_t hash = static_cast<uint64_t>(rank) * 7919 + 1;
    for (const int64_t i : at) {
        hash = (hash ^ static_cast<uint64_t>(i)) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 31;
    }
    return static_cast<float>(hash % 4096);
}

// The ranks that have an element.
inline std::vector<int> holders(const std::vector<Part> &parts, const Indices &at) {
    std::vector<int> all;
    for (size_t p = 0; p < parts.size(); ++p) {
        if (contains(parts[p], at)) {
            all.push_back(static_cast<int>(p));
        }
    }
    return all;
}

inline float wanted(const Case &c, const std::vector<Part> &before, const Indices &at) {
    const std::vector<int> who = holders(before, at);
    float result = value(at, who[0]);
    for (size_t k = 1; k < who.size(); ++k) {
        const float mine = value(at, who[k]);
        if (c.op == XCOLL_MAX) {
            result = std::max(result, mine);
        } else if (c.op != 0 || c.from_dim == XCOLL_PARTIAL) {
            result += mine;
        }
    }
    return c.op == XCOLL_AVG ? result / static_cast<float>(who.size()) : result;
}

// A case as the library is told of it by a rank that has these parts of it. It points to all of them.
class Tensor {
public:
    Tensor(const Case &c, xcoll_dtype_t dtype, const Part &before, const Part &after) {
        const auto given = [](const Indices &all) { return all.empty() ? nullptr : all.data(); };
        const bool packed = c.row_gap == 0 && c.element_gap == 0;
        ranks::succeed(xcoll_tensor_defaults(&tensor_, sizeof tensor_));
        tensor_.dtype = dtype;
        tensor_.ndim = static_cast<int32_t>(c.shape.size());
        tensor_.shape = c.shape.data();
        tensor_.send_strides = packed ? nullptr : before.strides.data();
        tensor_.recv_strides = packed ? nullptr : after.strides.data();
        tensor_.from_first = given(c.from_first);
        tensor_.from_count = given(c.from_count);
        tensor_.to_first = given(c.to_first);
        tensor_.to_count = given(c.to_count);
        tensor_.op = c.op;
    }
    const xcoll_tensor_t *get() const {
        return &tensor_;
    }

private:
    xcoll_tensor_t tensor_;
};

// Consecutive parts of random lengths, some of them empty.
inline Indices random_parts(Random &random, int64_t length, int ranks, Indices &first) {
    Indices cuts = {0, length};
    for (int p = 1; p < ranks; ++p) {
        cuts.push_back(static_cast<int64_t>(random() % static_cast<uint64_t>(length + 1)));
    }
    std::sort(cuts.begin(), cuts.end());
    Indices count;
    for (size_t p = 0; p < static_cast<size_t>(ranks); ++p) {
        first.push_back(cuts[p]);
        count.push_back(cuts[p + 1] - cuts[p]);
    }
    return count;
}

// Each reaches a little into its neighbours.
inline void widen(Random &random, int64_t length, Indices &first, Indices &count) {
    for (size_t p = 0; p < first.size(); ++p) {
        const int64_t begin = std::max<int64_t>(0, first[p] - static_cast<int64_t>(random() % 3));
        const int64_t end = std::min(length, first[p] + count[p] + static_cast<int64_t>(random() % 3));
        first[p] = begin;
        count[p] = end - begin;
    }
}

inline Case random_case(Random &random, int ranks) {
    Case c;
    const auto dims = 1 + random() % 5;
    for (size_t d = 0; d < dims; ++d) {
        c.shape.push_back(static_cast<int64_t>(random() % 7 + (random() % 20 == 0 ? 0 : 1)));
    }
    c.from_dim = static_cast<int>(random() % (dims + 2)) - 2;
    c.to_dim = static_cast<int>(random() % (dims + 1)) - 1;
    if (c.from_dim >= 0 && random() % 2) {
        const int64_t length = c.shape[static_cast<size_t>(c.from_dim)];
        c.from_count = random_parts(random, length, ranks, c.from_first);
        if (random() % 2) {
            widen(random, length, c.from_first, c.from_count);
        }
    }
    if (c.to_dim >= 0 && random() % 2) {
        const int64_t length = c.shape[static_cast<size_t>(c.to_dim)];
        c.to_count = random_parts(random, length, ranks, c.to_first);
        if (random() % 2) {
            widen(random, length, c.to_first, c.to_count);
        }
    }
    c.row_gap = static_cast<int64_t>(random() % 3);
    c.element_gap = random() % 3 == 0 ? 1 : 0;
    return c;
}

} // namespace tensors

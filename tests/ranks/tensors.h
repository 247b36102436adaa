// Tensors that are split over ranks, in code of its own: who has which element where, and what becomes of copies.
#pragma once

#include <algorithm>

#include "ranks.h"

namespace tensors {

using Indices = std::vector<int64_t>;

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

inline float wanted(const Case &c, const std::vector<Part> &before, const Indices &at) {
    float result = 0;
    int holders = 0;
    for (size_t p = 0; p < before.size(); ++p) {
        if (!contains(before[p], at)) {
            continue;
        }
        const float mine = value(at, static_cast<int>(p));
        ++holders;
        if (holders == 1) {
            result = mine;
        } else if (c.op == XCOLL_MAX) {
            result = std::max(result, mine);
        } else if (c.op != 0 || c.from_dim == XCOLL_PARTIAL) {
            result += mine;
        }
    }
    return c.op == XCOLL_AVG ? result / static_cast<float>(holders) : result;
}

} // namespace tensors

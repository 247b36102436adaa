// Where the bytes of a part of a message lie: a box of equally long runs, at regular distances in up to four
// directions. A parameter's shard is one run, a column of a matrix a row of runs, the heads of one rank out of
// [sequence, heads, width] a grid of them.
//
// The bytes of a View have one order, the last direction fastest. Two Views of the same number of bytes describe the
// two ends of a transfer, whatever their shapes: what is first here goes first there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/error.h"

namespace xcoll {

struct View {
    // Reshaping n dimensions leaves at most three that do not merge with a neighbour, and indexing adds one.
    static constexpr size_t most_directions = 4;

    char *base = nullptr;
    size_t run = 0; // bytes that lie together
    std::array<size_t, most_directions> counts{1, 1, 1, 1};
    std::array<ptrdiff_t, most_directions> strides{}; // bytes from one run to the next

    static View of(void *base, size_t bytes) {
        View view;
        view.base = static_cast<char *>(base);
        view.run = bytes;
        return view;
    }
    // How many of them are in use: the fastest ones.
    size_t directions() const {
        return static_cast<size_t>(std::find(counts.rbegin(), counts.rend(), size_t{1}) - counts.rbegin());
    }
    // Whether repeated() has room for that.
    bool takes(size_t count, ptrdiff_t stride) const {
        return count == 1 || directions() < most_directions || continues(stride);
    }
    // The same, `count` times, `stride` bytes apart: the new direction is slower than those before.
    View repeated(size_t count, ptrdiff_t stride) const {
        View view = *this;
        if (count == 1) {
            return view;
        }
        const size_t used = directions();
        if (used == 0 && run > 0 && stride == static_cast<ptrdiff_t>(run)) {
            view.run *= count; // lies behind itself: still one run
            return view;
        }
        const size_t slowest = most_directions - used;
        if (continues(stride)) {
            view.counts[slowest] *= count;
            return view;
        }
        if (used == most_directions) {
            fail(XCOLL_ERR_UNSUPPORTED, "a view of more than %zu directions", most_directions);
        }
        view.counts[slowest - 1] = count;
        view.strides[slowest - 1] = stride;
        return view;
    }
    // The slowest direction goes on as it did.
    bool continues(ptrdiff_t stride) const {
        const size_t slowest = most_directions - directions();
        return slowest < most_directions && stride == strides[slowest] * static_cast<ptrdiff_t>(counts[slowest]);
    }
    size_t runs() const {
        return counts[0] * counts[1] * counts[2] * counts[3];
    }
    size_t bytes() const {
        return runs() * run;
    }
    char *run_at(size_t index) const {
        char *at = base;
        for (size_t d = most_directions; d-- > 0;) {
            at += static_cast<ptrdiff_t>(index % counts[d]) * strides[d];
            index /= counts[d];
        }
        return at;
    }
};

} // namespace xcoll

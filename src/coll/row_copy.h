// Copies between rows of runs (run_cursor.h) and contiguous memory.
#pragma once

#include <cstring>

#include "coll/run_cursor.h"
#include "coll/small_copy.h"
#include "kernels/kernels.h"

namespace xcoll {

inline void move_bytes(const Kernels &kernels, char *to, const char *from, size_t bytes) {
    constexpr size_t small = 32;
    if (to == from) {
        return;
    }
    if (bytes <= small) {
        copy_small(to, from, bytes);
    } else {
        kernels.copy(to, from, bytes);
    }
}

// move(run, packed) for each run of a row and its place in contiguous memory.
template <class Move> void each_run(const RunRow &row, char *packed, Move move) {
    char *run = row.at;
    for (size_t i = 0; i < row.count; ++i, run += row.stride, packed += row.run) {
        move(run, packed);
    }
}

template <size_t bytes> struct CopyOf {
    void operator()(char *to, const char *from) const {
        std::memcpy(to, from, bytes);
    }
};

// The runs of most types are single numbers: copy(to, from) with a length that the compiler knows is one move.
template <class Each> void with_copy_of(const Kernels &kernels, size_t run, Each each) {
    switch (run) {
    case 1:
        return each(CopyOf<1>{});
    case 2:
        return each(CopyOf<2>{});
    case 4:
        return each(CopyOf<4>{});
    case 8:
        return each(CopyOf<8>{});
    case 16:
        return each(CopyOf<16>{});
    default:
        return each([&kernels, run](char *to, const char *from) { move_bytes(kernels, to, from, run); });
    }
}

inline void gather_row(const Kernels &kernels, char *packed, const RunRow &row) {
    with_copy_of(kernels, row.run,
                 [&](auto copy) { each_run(row, packed, [&](char *run, char *at) { copy(at, run); }); });
}
inline void scatter_row(const Kernels &kernels, const RunRow &row, const char *packed) {
    with_copy_of(kernels, row.run, [&](auto copy) {
        each_run(row, const_cast<char *>(packed), [&](char *run, const char *at) { copy(run, at); });
    });
}

} // namespace xcoll

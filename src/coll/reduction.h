// Combining what the ranks have shown, in the one order that all algorithms of a communicator share, and what every
// reducing collective reads and leaves where.
//
// Order: sums over all ranks are added in the communicator's order, group by group (coll/grouping.h) or as a tree
// (coll/tree.h). Scans, and operators of the user's, go strictly by rank: a scan from the lowest rank on, a user's
// operator from the highest one down, a o (b o c).
#pragma once

#include "base/user_operator.h"
#include "coll/algorithm.h"
#include "coll/message_reduction.h"
#include "coll/tree.h"

namespace xcoll {

inline size_t element_bytes(const Op &op) {
    return op.element_bytes();
}

inline bool scatters(const Op &op) {
    return op.kind == Kind::reduce_scatter || op.kind == Kind::reduce_scatterv;
}
inline bool scans(const Op &op) {
    return op.kind == Kind::scan || op.kind == Kind::exscan;
}
// In the order of ranks, or in the communicator's.
inline bool goes_by_rank(const Op &op) {
    return scans(op) || op.user != nullptr;
}

// Elements of every rank's input.
inline size_t input_count(const Op &op, int ranks) {
    return op.kind == Kind::reduce_scatter ? op.count * static_cast<size_t>(ranks) : op.count;
}
// Those of them that a rank writes for others at most: its own part it keeps.
inline size_t written_count(const Op &op, int ranks) {
    return input_count(op, ranks) - (op.kind == Kind::reduce_scatter ? op.count : op.least);
}

// Elements that each of so many ranks has of a message if all have as many, the last ones less: whole lines, so that a
// line is read or written by one rank.
inline size_t even_piece(size_t count, int ranks, size_t element_bytes) {
    const size_t per_line = std::max<size_t>(line_bytes / element_bytes, 1);
    const size_t all_ranks = per_line * static_cast<size_t>(ranks);
    return std::max<size_t>((count + all_ranks - 1) / all_ranks, 1) * per_line;
}

// Elements of the message, from one on.
struct Stretch {
    size_t first, count;
};
// Where the part of the result begins that a rank gets; `rank` may be one past the last.
inline size_t result_begin(const Op &op, int rank) {
    const auto r = static_cast<size_t>(rank);
    if (op.kind == Kind::reduce_scatter) {
        return r * op.count;
    }
    size_t first = 0;
    for (size_t p = 0; op.kind == Kind::reduce_scatterv && p < r; ++p) {
        first += op.counts[p];
    }
    return first;
}
// What of the result a rank gets, if it gets any.
inline Stretch result_of(const Op &op, int rank) {
    const bool uneven = op.kind == Kind::reduce_scatterv;
    return {result_begin(op, rank), uneven ? op.counts[rank] : op.count};
}

// Whether a rank needs what another one shows.
inline bool needs_input(const Op &op, int reader, int writer) {
    return scans(op) ? writer < reader : op.kind != Kind::reduce || reader == op.root;
}
// Ranks 0 up to this one that a rank combines, if it goes by rank.
inline size_t combined_ranks(const Op &op, int rank, int ranks) {
    const int count = op.kind == Kind::scan ? rank + 1 : op.kind == Kind::exscan ? rank : ranks;
    return static_cast<size_t>(count);
}

// out = all of data, which are the inputs in their order. Of one input it is what the operator makes of that: truth
// becomes 1 and a NaN the one that all results have (kernels/operators.h). Another result than XCOLL_SUCCESS comes from
// a user's function; then what is in `out` means nothing.
xcoll_result_t combine_by_rank(const Team &team, const Op &op, void *out, const void *const *data, size_t inputs,
                               size_t count);
// The same for reduce_scatterv in place, where the result may lie across an input.
void reduce_across(const Team &team, const Op &op, void *out, const void *const *data, size_t count);

// out = all inputs in the communicator's order.
inline void reduce_inputs(const Team &team, const Op &op, void *out, const Inputs &inputs, size_t count) {
    if (team.order == Order::tree) [[unlikely]] {
        reduce_as_tree(team, op, out, inputs, count);
    } else {
        reduce_some(team, Stage::whole, op, out, inputs, count);
    }
}
// data: the ranks' inputs in the order of the grouping.
inline void reduce_ordered(const Team &team, const Op &op, void *out, const void *const *data, size_t count) {
    reduce_inputs(team, op, out,
                  {data, team.grouping.sizes.data(), team.grouping.groups(), static_cast<uint32_t>(team.size)}, count);
}

// What this rank gets, of all data: in the order of ranks if the operation goes by rank, else in the grouping's.
inline xcoll_result_t combine_ordered(const Team &team, const Op &op, void *out, const void *const *data,
                                      size_t count) {
    if (goes_by_rank(op)) {
        return combine_by_rank(team, op, out, data, combined_ranks(op, team.rank, team.size), count);
    }
    if (op.kind == Kind::reduce_scatterv) [[unlikely]] {
        reduce_across(team, op, out, data, count);
    } else {
        reduce_ordered(team, op, out, data, count);
    }
    return XCOLL_SUCCESS;
}

// input(p): where rank p's `count` elements lie, asked of those that this rank combines. `data` has room for all ranks.
template <class Input>
xcoll_result_t combine_all(const Team &team, const Op &op, void *out, const void **data, size_t count, Input input) {
    if (goes_by_rank(op)) {
        const size_t inputs = combined_ranks(op, team.rank, team.size);
        for (size_t p = 0; p < inputs; ++p) {
            data[p] = input(static_cast<int>(p));
        }
    } else {
        const std::vector<int> &order = team.grouping.order;
        for (size_t i = 0; i < order.size(); ++i) {
            data[i] = input(order[i]);
        }
    }
    return combine_ordered(team, op, out, data, count);
}

// A user's function returned this: throws XCOLL_ERR_OP. The rank's part in the operation is over by then.
[[noreturn]] void fail_operator(const Team &team, const Op &op, xcoll_result_t result);

} // namespace xcoll

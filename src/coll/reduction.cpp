#include "coll/reduction.h"

#include <algorithm>

#include "base/error.h"
#include "base/overlap.h"

namespace xcoll {

namespace {

void move(const Team &team, void *to, const void *from, size_t bytes) {
    if (to != from) {
        team.kernels->copy(to, from, bytes);
    }
}

// The highest rank's data take in those of one rank after the other, downwards.
xcoll_result_t fold(const Team &team, const Op &op, void *out, const void *const *data, size_t inputs, size_t count) {
    const size_t bytes = count * element_bytes(op);
    const void *highest = data[inputs - 1];
    const bool apart =
        std::none_of(data, data + inputs - 1, [&](const void *in) { return !lie_apart(out, bytes, in, bytes); }) &&
        (out == highest || lie_apart(out, bytes, highest, bytes));
    if (!apart) {
        const Scratch scratch(*team.scratch, bytes);
        const xcoll_result_t result = fold(team, op, scratch.data(), data, inputs, count);
        team.kernels->copy(out, scratch.data(), bytes);
        return result;
    }
    move(team, out, highest, bytes);
    const xcoll_dtype_t type = op.item ? op.item_type : handle_of(op.dtype);
    xcoll_result_t result = XCOLL_SUCCESS;
    for (size_t p = inputs - 1; p-- > 0 && result == XCOLL_SUCCESS;) {
        result = op.user->run(*op.user, data[p], out, count, type);
    }
    return result;
}

} // namespace

xcoll_result_t combine_by_rank(const Team &team, const Op &op, void *out, const void *const *data, size_t inputs,
                               size_t count) {
    if (inputs == 0 || count == 0) {
        return XCOLL_SUCCESS;
    }
    if (op.user) {
        return fold(team, op, out, data, inputs, count);
    }
    const auto group = static_cast<uint32_t>(inputs);
    team.kernels->reduction(Stage::whole, op.op, op.dtype)(out, {data, &group, 1, group}, count);
    return XCOLL_SUCCESS;
}

void reduce_across(const Team &team, const Op &op, void *out, const void *const *data, size_t count) {
    const size_t bytes = count * element_bytes(op);
    const auto lies_across = [&](const void *in) { return in != out && !lie_apart(out, bytes, in, bytes); };
    if (count == 0) {
        return;
    }
    if (std::none_of(data, data + team.size, lies_across)) {
        reduce_ordered(team, op, out, data, count);
        return;
    }
    const Scratch scratch(*team.scratch, bytes);
    reduce_ordered(team, op, scratch.data(), data, count);
    team.kernels->copy(out, scratch.data(), bytes);
}

void fail_operator(const Team &team, const Op &op, xcoll_result_t result) {
    fail_at(team.rank, XCOLL_ERR_OP, "the operator \"%s\" returned %s (%d) on rank %d, in %s", op.user->name.c_str(),
            result_name(result), static_cast<int>(result), team.rank, describe(fingerprint(op)).c_str());
}

} // namespace xcoll

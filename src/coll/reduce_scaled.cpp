// A premultiplied sum: every rank's input is multiplied by that rank's own number, and shown to an ordinary sum.
//
// Cost: that of the sum, and one pass over the input into private memory.
#include "base/error.h"
#include "coll/reduction.h"
#include "coll/select.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

bool can_scale(const Team &team, const Op &op) {
    return op.user->scalar_dtype == op.dtype && team.kernels->scale[static_cast<size_t>(op.dtype)];
}

void scale(const Team &team, const Op &op, char *to) {
    const size_t count = input_count(op, team.size);
    if (count > 0) {
        team.kernels->scale[static_cast<size_t>(op.dtype)](to, op.send, op.user->scalar, count);
    }
}

} // namespace

Task reduce_scaled(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    if (!can_scale(team, op)) {
        const Op refused{.kind = Kind::refused};
        const Fingerprint told = fingerprint(refused, FingerprintParts::of(call).stance);
        co_await refusal(home, team, refused, told, n);
        fail_at(team.rank, XCOLL_ERR_OP,
                "the operator \"%s\" multiplies %s by a number, but rank %d reduces %s with it", op.user->name.c_str(),
                name_of(op.user->scalar_dtype), team.rank, name_of(op.dtype));
    }
    const Scratch scaled(*team.scratch, input_count(op, team.size) * element_bytes(op));
    scale(team, op, scaled.data());
    Op sum = op;
    sum.op = Operator::sum;
    sum.user = nullptr;
    sum.send = scaled.data();
    co_await cheapest(sum.kind, team, sum.bytes())->run(home, team, sum, call, n);
}

} // namespace xcoll

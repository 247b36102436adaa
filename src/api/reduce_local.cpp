// The arithmetic of the reductions, without any communication.
#include "api/handle.h"
#include "api/validate.h"
#include "base/overlap.h"
#include "base/user_operator.h"
#include "kernels/kernels.h"

using namespace xcoll;
using namespace xcoll::api;

xcoll_result_t xcoll_reduce_local(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, xcoll_op_t op) {
    return guarded(__func__, [&] {
        Call call;
        set_type(call, dtype, "count", count);
        set_operator(call, dtype, op);
        if (call.op.op == Operator::avg) {
            fail(XCOLL_ERR_OP,
                 "op avg is not defined for two arrays, which are no ranks: expected sum or another operator");
        }
        if (call.op.user && call.op.user->is_premultiplied()) {
            fail(XCOLL_ERR_OP,
                 "op is a premultiplied sum, which multiplies what ranks have: expected XCOLL_SUM or another operator");
        }
        if (count == 0) {
            return;
        }
        if (!in || in == XCOLL_IN_PLACE) {
            fail_buffer("in", in, count);
        }
        if (!inout || inout == XCOLL_IN_PLACE) {
            fail_buffer("inout", inout, count);
        }
        if (in != inout && !lie_apart(in, call.op.bytes(), inout, call.op.bytes())) {
            fail_overlap("in", in, "inout", inout, call.op.bytes(), "separate arrays, or one for both");
        }
        if (const UserOperator *made = call.op.user) {
            const xcoll_result_t result = made->run(*made, in, inout, count, dtype);
            if (result != XCOLL_SUCCESS) {
                fail(XCOLL_ERR_OP, "the operator \"%s\" returned %s (%d)", made->name.c_str(), result_name(result),
                     static_cast<int>(result));
            }
            return;
        }
        const void *const data[] = {in, inout};
        const uint32_t sizes[] = {2};
        best_kernels().reduction(Stage::whole, call.op.op, call.op.dtype)(inout, {data, sizes, 1, 2}, count);
    });
}

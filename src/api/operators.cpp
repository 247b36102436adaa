// The operators that users make. All local.
#include "api/handle.h"
#include "api/validate.h"
#include "base/user_operator.h"
#include "core/user_function.h"

namespace xcoll::api {

namespace {

constexpr uint32_t known_flags = XCOLL_OP_NONCOMMUTATIVE;

void check_flags(uint32_t flags) {
    if ((flags & ~known_flags) != 0) {
        fail(XCOLL_ERR_UNSUPPORTED, "flags is %#x: expected 0 or XCOLL_OP_NONCOMMUTATIVE", flags);
    }
}

// The new operator of make(), or 0 and an error.
template <class Make> xcoll_result_t make_operator(const char *function, xcoll_op_t *op, Make make) noexcept {
    return guarded(function, [&] {
        check_not_forked();
        out(op, "op") = 0;
        *op = process().operators().add(make);
    });
}

} // namespace

} // namespace xcoll::api

using namespace xcoll;
using namespace xcoll::api;

extern "C" {

xcoll_result_t xcoll_op_create(xcoll_reduce_fn fn, void *context, void (*destroy)(void *), const char *name,
                               uint32_t flags, xcoll_op_t *op) {
    return make_operator(__func__, op, [&] {
        if (!fn) {
            fail(XCOLL_ERR_ARGUMENT, "fn is NULL: expected the function that combines elements");
        }
        if (!name || !*name) {
            fail(XCOLL_ERR_ARGUMENT, "name is %s: expected the name by which ranks compare the operator",
                 name ? "empty" : "NULL");
        }
        check_flags(flags);
        auto made = std::make_shared<UserOperator>();
        made->run = run_user_function;
        made->fn = fn;
        made->context = context;
        made->name = name;
        made->destroy = destroy; // last: if anything fails, the context stays the caller's
        return made;
    });
}

xcoll_result_t xcoll_op_create_premul(const void *scalar, xcoll_dtype_t dtype, uint32_t flags, xcoll_op_t *op) {
    return make_operator(__func__, op, [&] {
        if (!scalar) {
            fail(XCOLL_ERR_ARGUMENT, "scalar is NULL: expected the address of the number to multiply by");
        }
        if (!is_dtype(dtype)) {
            fail_dtype("dtype", dtype);
        }
        if (!has_operator(dtype_of(dtype), Operator::sum)) {
            fail(XCOLL_ERR_OP, "%s has no sum, so there is nothing to multiply", name_of(dtype_of(dtype)));
        }
        check_flags(flags);
        auto made = std::make_shared<UserOperator>();
        made->set_scalar(scalar, dtype_of(dtype));
        return made;
    });
}

xcoll_result_t xcoll_op_free(xcoll_op_t *op) {
    return guarded(__func__, [&] {
        if (handle_at(op, "op") == 0) {
            return;
        }
        if (is_operator(*op)) {
            fail(XCOLL_ERR_OP, "op %#x is predefined: only operators that were made are freed", *op);
        }
        if (!process().operators().remove(*op)) {
            fail(XCOLL_ERR_OP, "op %#x is not an operator: was it freed before?", *op);
        }
        *op = 0;
    });
}

} // extern "C"

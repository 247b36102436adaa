#include "api/validate.h"

#include "api/items.h"
#include "base/error.h"
#include "base/user_operator.h"
#include "core/process.h"

namespace xcoll::api {

void fail_dtype(const char *name, xcoll_dtype_t dtype) {
    if (process().types().find(dtype)) {
        fail(XCOLL_ERR_TYPE, "%s %#x was made by the user: expected a predefined type", name, dtype);
    }
    const bool is_swapped = is_operator(dtype) || process().operators().is_handle(dtype);
    fail(XCOLL_ERR_TYPE, "%s %#x is not a data type: %s", name, dtype,
         is_swapped                           ? "it is an operator; are a type and an operator swapped?"
         : process().types().is_handle(dtype) ? "was it freed before?"
                                              : "expected XCOLL_FLOAT32 or another of xcoll.h");
}

void fail_operator(xcoll_dtype_t dtype, xcoll_op_t op) {
    if (!is_operator(op)) {
        const bool is_swapped = is_dtype(op) || process().types().is_handle(op);
        fail(XCOLL_ERR_OP, "op %#x is not an operator: %s", op,
             is_swapped                            ? "it is a data type; are dtype and op swapped?"
             : process().operators().is_handle(op) ? "was it freed before?"
                                                   : "expected XCOLL_SUM or another of xcoll.h");
    }
    fail(XCOLL_ERR_OP, "op %s is not defined for dtype %s; xcoll_allreduce(3) lists which types have which operators",
         name_of(operator_of(op)), name_of(dtype_of(dtype)));
}

void fail_root(int root, int size) {
    fail(XCOLL_ERR_ARGUMENT, "root %d is not a rank: expected 0 to %d", root, size - 1);
}

void fail_buffer(const char *name, const void *buffer, size_t count) {
    fail(XCOLL_ERR_ARGUMENT, "%s is %s: expected the address of %zu elements", name, buffer ? "XCOLL_IN_PLACE" : "NULL",
         count);
}

void fail_count(const char *name, size_t count, size_t element) {
    fail(XCOLL_ERR_ARGUMENT,
         "%s %zu is too large: %zu bytes each would be more than any memory. Was a negative number passed?", name,
         count, element);
}

void fail_overlap(const char *name, const void *buffer, const char *other_name, const void *other, size_t bytes,
                  const char *expected) {
    fail(XCOLL_ERR_ARGUMENT, "%s %p and %s %p overlap within %zu bytes: expected %s", name, buffer, other_name, other,
         bytes, expected);
}

void fail_overlap(const void *send, const void *recv, size_t bytes) {
    fail_overlap("send", send, "recv", recv, bytes,
                 "separate buffers, XCOLL_IN_PLACE, or this rank's own part at its place");
}

bool overlap(const Portion &a, const Portion &b) {
    return a.count != 0 && b.count != 0 && !lie_apart(a.base, a.count, b.base, b.count);
}

namespace {
// Which parts of a call may go out where others come in: a rank's own, which stays; or all, each where what its
// receiver gives arrives.
enum class Coinciding : uint8_t { none, own, all };

Coinciding coinciding(Kind kind) {
    switch (kind) {
    case Kind::alltoall:
    case Kind::alltoallv:
    case Kind::alltoall_dyn:
        return Coinciding::all;
    case Kind::reshard:
    case Kind::reshard_reduce:
        return Coinciding::none;
    default:
        return traits(kind).is_message ? Coinciding::none : Coinciding::own;
    }
}
} // namespace

void check_apart(Kind kind, int rank, std::span<const Portion> out, std::span<const Portion> in) {
    const auto is_own = [rank](std::span<const Portion> side, size_t p) {
        return side.size() == 1 || p == static_cast<size_t>(rank);
    };
    for (size_t o = 0; o < out.size(); ++o) {
        for (size_t i = 0; i < in.size(); ++i) {
            if (out[o].shape || in[i].shape || !overlap(out[o], in[i])) [[likely]] {
                continue;
            }
            const Coinciding may = coinciding(kind);
            const bool own = may != Coinciding::none && is_own(out, o) && is_own(in, i);
            const bool same = may == Coinciding::all && o == i && out[o].count == in[i].count;
            if (out[o].base != in[i].base || !(own || same)) {
                fail_overlap(out[o].base, in[i].base, out[o].bytes());
            }
        }
    }
}

bool coincide(Kind kind, std::span<const Portion> out, std::span<const Portion> in) {
    const auto is_same = [](const Portion &a, const Portion &b) {
        return a.base == b.base && a.bytes() != 0 && b.bytes() != 0;
    };
    return coinciding(kind) != Coinciding::none && std::any_of(out.begin(), out.end(), [&](const Portion &goes) {
               return std::any_of(in.begin(), in.end(), [&](const Portion &comes) { return is_same(goes, comes); });
           });
}

void set_items(Call &call, xcoll_dtype_t dtype, const char *count_name, size_t count) {
    const Items items = items_of(call, "dtype", dtype);
    if (!items.shape->lies_together()) {
        fail(XCOLL_ERR_TYPE,
             "dtype %#x was made by the user, and its items have gaps or no bytes: expected a predefined type or, for "
             "an "
             "operator of xcoll_op_create, one whose items lie together, such as one of xcoll_type_opaque",
             dtype);
    }
    if (count > most_elements / items.bytes) {
        fail_count(count_name, count, items.bytes);
    }
    call.op.item = items.shape;
    call.op.item_type = dtype;
    call.op.count = count;
}

void set_user_operator(Call &call, xcoll_dtype_t dtype, xcoll_op_t handle) {
    const UserOperator *made = call.hold(process().operators().find(handle));
    if (!made && is_operator(handle) && call.op.item) {
        fail(XCOLL_ERR_TYPE,
             "dtype %#x was made by the user: expected a predefined type for %s, or an operator of "
             "xcoll_op_create",
             dtype, name_of(operator_of(handle)));
    }
    if (!made) {
        fail_operator(dtype, handle);
    }
    if (made->is_premultiplied() && made->scalar_dtype != call.op.dtype) {
        fail(XCOLL_ERR_TYPE, "op %#x multiplies by one %s, but dtype is %s: expected the same type", handle,
             name_of(made->scalar_dtype), name_of(call.op.dtype));
    }
    call.op.user = made;
    call.op.user_name = made->name_hash(call.op.item);
}

void check_scan_operator(const Call &call) {
    const Op &op = call.op;
    if (op.op == Operator::avg) {
        fail(XCOLL_ERR_OP,
             "op avg is not defined for scans, where each rank adds up a different number of them: expected "
             "sum or another operator");
    }
}

void check_items(Call &call, xcoll_dtype_t dtype, const char *count_name, size_t count) {
    check_count(items_of(call, "dtype", dtype), count_name, count);
}

void set_shaped_buffer(Call &call, void *buf, size_t count, xcoll_dtype_t dtype) {
    const Items items = items_of(call, "dtype", dtype);
    check_count(items, "count", count);
    if (count * items.elements != 0 && (!buf || buf == XCOLL_IN_PLACE)) {
        fail_buffer("buf", buf, count);
    }
    call.op.dtype = items.base;
    call.op.count = count * items.elements;
    Portion *parts = call.make_parts(1, 1);
    parts[0] = parts[1] = items.portion(buf, 0, count);
}

} // namespace xcoll::api

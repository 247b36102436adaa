// What the operations of operations.def make of their arguments: checked, and in the one form that everything below
// the ABI reads. Throws call errors. By the names of the table.
#pragma once

#include "api/describe_parts.h"
#include "api/handle.h"
#include "api/items.h"
#include "api/validate.h"

namespace xcoll::api::describe {

inline void barrier(Call &call, const Comm &) {
    call.op.kind = Kind::barrier;
}

inline void bcast(Call &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int root) {
    Op &op = call.op;
    op.kind = Kind::bcast;
    set_root(op, root, comm.team().size);
    if (!is_dtype(dtype)) [[unlikely]] {
        set_shaped_buffer(call, buf, count, dtype);
        return;
    }
    set_type(op, dtype, count);
    set_buffer(op, buf);
}

inline void allreduce(Call &call, const Comm &, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                      xcoll_op_t op_handle) {
    Op &op = call.op;
    op.kind = Kind::allreduce;
    set_type(op, dtype, count);
    set_operator(call, dtype, op_handle);
    set_buffers(op, send, recv);
}

inline void reduce(Call &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                   xcoll_op_t op_handle, int root) {
    Op &op = call.op;
    op.kind = Kind::reduce;
    set_type(op, dtype, count);
    set_operator(call, dtype, op_handle);
    set_root(op, root, comm.team().size);
    if (comm.team().rank == root) {
        set_buffers(op, send, recv);
    } else {
        set_input(op, send, op.count);
    }
}

inline void reduce_scatter(Call &call, const Comm &comm, const void *send, void *recv, size_t recvcount,
                           xcoll_dtype_t dtype, xcoll_op_t op_handle) {
    Op &op = call.op;
    op.kind = Kind::reduce_scatter;
    set_type(op, dtype, recvcount);
    set_operator(call, dtype, op_handle);
    const auto ranks = static_cast<size_t>(comm.team().size), rank = static_cast<size_t>(comm.team().rank);
    set_blocks(op, send, recv, {.sent = ranks, .received = 1, .own_sent = rank, .own_received = 0});
}

inline void allgather(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv,
                      xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::allgather;
    if (!is_dtype(dtype)) [[unlikely]] {
        allgather_typed(call, comm, send, sendcount, dtype, recv, sendcount, dtype);
        return;
    }
    set_type(op, dtype, sendcount);
    const auto ranks = static_cast<size_t>(comm.team().size), rank = static_cast<size_t>(comm.team().rank);
    if (send == XCOLL_IN_PLACE) {
        send = static_cast<char *>(recv) + rank * op.bytes();
    }
    set_blocks(op, send, recv, {.sent = 1, .received = ranks, .own_sent = 0, .own_received = rank});
}

inline void alltoall(Call &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::alltoall;
    if (!is_dtype(dtype)) [[unlikely]] {
        alltoall_typed(call, comm, send, count, dtype, recv, count, dtype);
        return;
    }
    set_type(op, dtype, count);
    const auto ranks = static_cast<size_t>(comm.team().size);
    set_blocks(op, send, recv, {.sent = ranks, .received = ranks, .own_sent = 0, .own_received = 0});
}

inline void gather(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype,
                   int root) {
    Op &op = call.op;
    op.kind = Kind::gather;
    if (!is_dtype(dtype)) [[unlikely]] {
        gather_typed(call, comm, send, sendcount, dtype, recv, sendcount, dtype, root);
        return;
    }
    set_type(op, dtype, sendcount);
    set_root(op, root, comm.team().size);
    if (comm.team().rank != root) {
        set_input(op, send, op.count);
        return;
    }
    const auto ranks = static_cast<size_t>(comm.team().size), own = static_cast<size_t>(root);
    if (send == XCOLL_IN_PLACE) {
        send = static_cast<char *>(recv) + own * op.bytes();
    }
    set_blocks(op, send, recv, {.sent = 1, .received = ranks, .own_sent = 0, .own_received = own});
}

inline void scatter(Call &call, const Comm &comm, const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                    int root) {
    Op &op = call.op;
    op.kind = Kind::scatter;
    if (!is_dtype(dtype)) [[unlikely]] {
        scatter_typed(call, comm, send, recvcount, dtype, recv, recvcount, dtype, root);
        return;
    }
    set_type(op, dtype, recvcount);
    set_root(op, root, comm.team().size);
    if (comm.team().rank != root) {
        set_output(op, recv, op.count);
        return;
    }
    const auto ranks = static_cast<size_t>(comm.team().size), own = static_cast<size_t>(root);
    if (recv == XCOLL_IN_PLACE) {
        recv = static_cast<char *>(const_cast<void *>(send)) + own * op.bytes();
    }
    set_blocks(op, send, recv, {.sent = ranks, .received = 1, .own_sent = own, .own_received = 0});
}

inline void scan(Call &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                 xcoll_op_t op_handle) {
    allreduce(call, comm, send, recv, count, dtype, op_handle);
    call.op.kind = Kind::scan;
    check_scan_operator(call.op);
}

inline void exscan(Call &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
                   xcoll_op_t op_handle) {
    scan(call, comm, send, recv, count, dtype, op_handle);
    call.op.kind = Kind::exscan;
}

} // namespace xcoll::api::describe

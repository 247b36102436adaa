// What the operations of operations.def make of their arguments: checked, and in the one form that everything below
// the ABI reads. Throws call errors. By the names of the table. Where kinds have habits (core/habit.h), C is Call or
// KnownCall, of which only the buffers are looked at.
#pragma once

#include "api/describe_parts.h"
#include "api/handle.h"
#include "api/items.h"
#include "api/validate.h"

namespace xcoll::api::describe {

// Messages that are known; all others are described in describe_message.cpp.
inline void send(KnownCall &call, const Comm &, const void *buf, size_t count, xcoll_dtype_t, int, int) {
    check_buffer("buf", buf, count, call.op.sent);
    call.op.send = buf;
}
inline void recv(KnownCall &call, const Comm &, void *buf, size_t count, xcoll_dtype_t, int, int) {
    check_buffer("buf", buf, count, call.op.room);
    call.op.recv = buf;
}
inline void sendrecv(KnownCall &call, const Comm &, const void *send, size_t sendcount, int, int, void *recv,
                     size_t recvcount, int, int, xcoll_dtype_t) {
    check_buffer("send", send, sendcount, call.op.sent);
    check_buffer("recv", recv, recvcount, call.op.room);
    call.op.send = send;
    call.op.recv = recv;
    check_apart(call.op);
}

template <class C> void barrier(C &call, const Comm &) {
    call.op.kind = Kind::barrier;
}

template <class C> void bcast(C &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int root) {
    Op &op = call.op;
    op.kind = Kind::bcast;
    set_root(call, root, comm.team().size);
    if (!is_dtype(dtype)) [[unlikely]] {
        set_shaped_buffer(call, buf, count, dtype);
        return;
    }
    set_type(call, dtype, "count", count);
    set_buffer(op, buf);
}

template <class C>
void allreduce(C &call, const Comm &, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
               xcoll_op_t op_handle) {
    Op &op = call.op;
    op.kind = Kind::allreduce;
    set_type(call, dtype, "count", count);
    set_operator(call, dtype, op_handle);
    set_buffers(op, send, recv);
}

template <class C>
void reduce(C &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
            xcoll_op_t op_handle, int root) {
    Op &op = call.op;
    op.kind = Kind::reduce;
    set_type(call, dtype, "count", count);
    set_operator(call, dtype, op_handle);
    set_root(call, root, comm.team().size);
    if (comm.team().rank == root) {
        set_buffers(op, send, recv);
    } else {
        set_input(op, send, op.count);
    }
}

template <class C>
void reduce_scatter(C &call, const Comm &comm, const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype,
                    xcoll_op_t op_handle) {
    Op &op = call.op;
    op.kind = Kind::reduce_scatter;
    set_type(call, dtype, "recvcount", recvcount);
    set_operator(call, dtype, op_handle);
    const auto ranks = static_cast<size_t>(comm.team().size), rank = static_cast<size_t>(comm.team().rank);
    set_blocks(op, send, recv, {.sent = ranks, .received = 1, .own_sent = rank, .own_received = 0});
}

template <class C>
void allgather(C &call, const Comm &comm, const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::allgather;
    if (!is_dtype(dtype)) [[unlikely]] {
        check_items(call, dtype, "sendcount", sendcount);
        allgather_typed(call, comm, send, sendcount, dtype, recv, sendcount, dtype);
        return;
    }
    set_type(call, dtype, "sendcount", sendcount);
    const auto ranks = static_cast<size_t>(comm.team().size), rank = static_cast<size_t>(comm.team().rank);
    if (send == XCOLL_IN_PLACE) {
        send = static_cast<char *>(recv) + rank * op.bytes();
    }
    set_blocks(op, send, recv, {.sent = 1, .received = ranks, .own_sent = 0, .own_received = rank});
}

template <class C>
void alltoall(C &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::alltoall;
    if (!is_dtype(dtype)) [[unlikely]] {
        check_items(call, dtype, "count", count);
        alltoall_typed(call, comm, send, count, dtype, recv, count, dtype);
        return;
    }
    set_type(call, dtype, "count", count);
    const auto ranks = static_cast<size_t>(comm.team().size);
    set_blocks(op, send, recv, {.sent = ranks, .received = ranks, .own_sent = 0, .own_received = 0});
}

template <class C>
void gather(C &call, const Comm &comm, const void *send, size_t sendcount, void *recv, xcoll_dtype_t dtype, int root) {
    Op &op = call.op;
    op.kind = Kind::gather;
    send = own_side(comm, root, send, recv);
    if (!is_dtype(dtype)) [[unlikely]] {
        check_items(call, dtype, "sendcount", sendcount);
        gather_typed(call, comm, send, sendcount, dtype, recv, sendcount, dtype, root);
        return;
    }
    set_type(call, dtype, "sendcount", sendcount);
    set_root(call, root, comm.team().size);
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

template <class C>
void scatter(C &call, const Comm &comm, const void *send, void *recv, size_t recvcount, xcoll_dtype_t dtype, int root) {
    Op &op = call.op;
    op.kind = Kind::scatter;
    recv = own_side(comm, root, recv, send);
    if (!is_dtype(dtype)) [[unlikely]] {
        check_items(call, dtype, "recvcount", recvcount);
        scatter_typed(call, comm, send, recvcount, dtype, recv, recvcount, dtype, root);
        return;
    }
    set_type(call, dtype, "recvcount", recvcount);
    set_root(call, root, comm.team().size);
    if (comm.team().rank != root) {
        set_output(op, recv, op.count);
        return;
    }
    const auto ranks = static_cast<size_t>(comm.team().size), own = static_cast<size_t>(root);
    set_input(op, send, op.count * ranks); // of the two only recv may be in place
    if (recv == XCOLL_IN_PLACE) {
        recv = static_cast<char *>(const_cast<void *>(send)) + own * op.bytes();
    }
    set_blocks(op, send, recv, {.sent = ranks, .received = 1, .own_sent = own, .own_received = 0});
}

template <class C>
void scan(C &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
          xcoll_op_t op_handle) {
    allreduce(call, comm, send, recv, count, dtype, op_handle);
    call.op.kind = Kind::scan;
    check_scan_operator(call);
}

template <class C>
void exscan(C &call, const Comm &comm, const void *send, void *recv, size_t count, xcoll_dtype_t dtype,
            xcoll_op_t op_handle) {
    scan(call, comm, send, recv, count, dtype, op_handle);
    call.op.kind = Kind::exscan;
}

} // namespace xcoll::api::describe

// Calls whose counts are read and written when they run.
#include "api/describe_parts.h"
#include "api/items.h"
#include "api/validate.h"
#include "coll/dynamic.h"

namespace xcoll::api::describe {

namespace {

// `sendcounts`: the name of that parameter.
void set_dynamic(Call &call, Dynamic of, const char *sendcounts, const Items &items) {
    if (!of.sendcounts) {
        fail(XCOLL_ERR_ARGUMENT, "%s is NULL: expected where it is read when the operation runs", sendcounts);
    }
    if (!of.recvcounts) {
        fail(XCOLL_ERR_ARGUMENT, "recvcounts is NULL: expected where one count of each rank is written");
    }
    if (items.bytes == 0) {
        fail(XCOLL_ERR_TYPE,
             "dtype is of elements without bytes: expected a type with data, since they tell its count");
    }
    if (of.most > most_elements / items.bytes || !items.may_be(of.most)) {
        fail_count("max_count", of.most, items.reach());
    }
    of.item_bytes = items.bytes;
    of.extent = items.extent;
    of.shape = items.shape;
    call.op.dtype = items.base;
    call.op.count = of.most * items.elements;
    call.op.signature = static_cast<uint32_t>(items.bytes);
    call.op.dynamic = call.hold(std::make_shared<const Dynamic>(of));
}

void set_buffers(Op &op, const void *send, void *recv, size_t own_place) {
    if (op.count != 0 && (!recv || recv == XCOLL_IN_PLACE)) {
        fail_buffer("recv", recv, op.count);
    }
    op.send = send == XCOLL_IN_PLACE ? static_cast<char *>(recv) + own_place : send;
    op.recv = recv;
}

} // namespace

void allgather_dyn(Call &call, const Comm &comm, const void *send, const uint64_t *sendcount, void *recv,
                   uint64_t *recvcounts, size_t max_count, int packed, xcoll_dtype_t dtype) {
    call.op.kind = Kind::allgather_dyn;
    const Items items = items_of(call, "dtype", dtype);
    if (packed && send == XCOLL_IN_PLACE) {
        fail(XCOLL_ERR_ARGUMENT, "packed is set and send is XCOLL_IN_PLACE: where this rank's part will lie in recv is "
                                 "known only when all counts are, so expected a send buffer");
    }
    set_dynamic(call, {.sendcounts = sendcount, .recvcounts = recvcounts, .most = max_count, .packed = packed != 0},
                "sendcount", items);
    set_buffers(call.op, send, recv, static_cast<size_t>(comm.team().rank) * items.span(max_count));
}

void alltoall_dyn(Call &call, const Comm &, const void *send, const uint64_t *sendcounts, void *recv,
                  uint64_t *recvcounts, size_t max_count, xcoll_dtype_t dtype) {
    call.op.kind = Kind::alltoall_dyn;
    const Items items = items_of(call, "dtype", dtype);
    set_dynamic(call, {.sendcounts = sendcounts, .recvcounts = recvcounts, .most = max_count}, "sendcounts", items);
    set_buffers(call.op, send, recv, 0);
}

} // namespace xcoll::api::describe

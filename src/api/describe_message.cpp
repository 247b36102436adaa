// Messages between two ranks. With XCOLL_NO_RANK there is none, and the arguments of that side are not looked at.
#include "api/describe_parts.h"
#include "api/items.h"
#include "api/validate.h"

namespace xcoll::api::describe {

namespace {

void check_messages(const Comm &comm) {
    if (!comm.team().window) {
        fail(XCOLL_ERR_UNSUPPORTED, "this version carries messages of users between ranks of one machine only");
    }
}

void check_peer(const Comm &comm, const char *name, int peer, bool any) {
    const int size = comm.team().size;
    if (!(any && peer == XCOLL_ANY_SOURCE) && (peer < 0 || peer >= size)) {
        fail(XCOLL_ERR_ARGUMENT, "%s %d is not a rank: expected 0 to %d%s or XCOLL_NO_RANK", name, peer, size - 1,
             any ? ", XCOLL_ANY_SOURCE" : "");
    }
}

void check_tag(const char *name, int tag, bool any) {
    if (tag < 0 && !(any && tag == XCOLL_ANY_TAG)) {
        fail(XCOLL_ERR_ARGUMENT, "%s %d is negative: expected 0 or more%s", name, tag, any ? ", or XCOLL_ANY_TAG" : "");
    }
}

// The bytes of one side; items that do not lie together become a part.
size_t set_side(const char *name, const void *buffer, const char *count_name, size_t count, const Items &items,
                Portion *part) {
    check_count(items, count_name, count);
    if (count != 0 && (!buffer || buffer == XCOLL_IN_PLACE)) {
        fail_buffer(name, buffer, count);
    }
    if (part) {
        *part = items.portion(buffer, 0, count);
    }
    return count * items.bytes;
}

} // namespace

void send(Call &call, const Comm &comm, const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag) {
    Op &op = call.op;
    op.kind = Kind::send;
    op.to = peer;
    check_messages(comm);
    if (peer == XCOLL_NO_RANK) {
        return;
    }
    check_peer(comm, "peer", peer, false);
    check_tag("tag", tag, false);
    const Items items = items_of(call, "dtype", dtype);
    op.sent = set_side("buf", buf, "count", count, items, items.shape ? call.make_parts(1, 1) : nullptr);
    op.tag = tag;
    op.send = buf;
}

void recv(Call &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag) {
    Op &op = call.op;
    op.kind = Kind::recv;
    op.from = peer;
    check_messages(comm);
    if (peer == XCOLL_NO_RANK) {
        return;
    }
    check_peer(comm, "peer", peer, true);
    check_tag("tag", tag, true);
    const Items items = items_of(call, "dtype", dtype);
    op.room = set_side("buf", buf, "count", count, items, items.shape ? call.make_parts(1, 1) + 1 : nullptr);
    op.recv_tag = tag;
    op.recv = buf;
}

void sendrecv(Call &call, const Comm &comm, const void *send, size_t sendcount, int dest, int sendtag, void *recv,
              size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::sendrecv;
    op.to = dest;
    op.from = source;
    check_messages(comm);
    if (dest == XCOLL_NO_RANK && source == XCOLL_NO_RANK) {
        return;
    }
    const Items items = items_of(call, "dtype", dtype);
    Portion *parts = items.shape ? call.make_parts(1, 1) : nullptr;
    if (dest != XCOLL_NO_RANK) {
        check_peer(comm, "dest", dest, false);
        check_tag("sendtag", sendtag, false);
        op.sent = set_side("send", send, "sendcount", sendcount, items, parts);
        op.tag = sendtag;
        op.send = send;
    }
    if (source != XCOLL_NO_RANK) {
        check_peer(comm, "source", source, true);
        check_tag("recvtag", recvtag, true);
        op.room = set_side("recv", recv, "recvcount", recvcount, items, parts ? parts + 1 : nullptr);
        op.recv_tag = recvtag;
        op.recv = recv;
    }
    const bool has_both = op.sent != 0 && op.room != 0 && !items.shape; // of a shape: the caller's word is taken
    if (has_both && !is_apart(send, op.sent, recv, op.room)) {
        fail_overlap("send", send, "recv", recv, op.room, "separate buffers");
    }
}

} // namespace xcoll::api::describe

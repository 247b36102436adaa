// Messages between two ranks.
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
    if (peer != XCOLL_NO_RANK && !(any && peer == XCOLL_ANY_SOURCE) && (peer < 0 || peer >= size)) {
        fail(XCOLL_ERR_ARGUMENT, "%s %d is not a rank: expected 0 to %d%s or XCOLL_NO_RANK", name, peer, size - 1,
             any ? ", XCOLL_ANY_SOURCE" : "");
    }
}

void check_tag(int tag, bool any) {
    if (tag < 0 && !(any && tag == XCOLL_ANY_TAG)) {
        fail(XCOLL_ERR_ARGUMENT, "tag %d is negative: expected 0 or more%s", tag, any ? ", or XCOLL_ANY_TAG" : "");
    }
}

// The bytes of one side; items that do not lie together become a part.
size_t set_side(const char *name, const void *buffer, size_t count, const Items &items, Portion *part) {
    if (count > most_elements) {
        fail_count(count, items.bytes);
    }
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
    check_messages(comm);
    check_peer(comm, "peer", peer, false);
    check_tag(tag, false);
    const Items items = items_of(call, dtype);
    op.sent = set_side("buf", buf, count, items, items.shape ? call.make_parts(1, 1) : nullptr);
    op.to = peer;
    op.tag = tag;
    op.send = buf;
}

void recv(Call &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag) {
    Op &op = call.op;
    op.kind = Kind::recv;
    check_messages(comm);
    check_peer(comm, "peer", peer, true);
    check_tag(tag, true);
    const Items items = items_of(call, dtype);
    op.room = set_side("buf", buf, count, items, items.shape ? call.make_parts(1, 1) + 1 : nullptr);
    op.from = peer;
    op.recv_tag = tag;
    op.recv = buf;
}

void sendrecv(Call &call, const Comm &comm, const void *send, size_t sendcount, int dest, int sendtag, void *recv,
              size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype) {
    Op &op = call.op;
    op.kind = Kind::sendrecv;
    check_messages(comm);
    check_peer(comm, "dest", dest, false);
    check_peer(comm, "source", source, true);
    check_tag(sendtag, false);
    check_tag(recvtag, true);
    const Items items = items_of(call, dtype);
    Portion *parts = items.shape ? call.make_parts(1, 1) : nullptr;
    op.sent = set_side("send", send, sendcount, items, parts);
    op.room = set_side("recv", recv, recvcount, items, parts ? parts + 1 : nullptr);
    const bool has_both = op.sent != 0 && op.room != 0 && !items.shape; // of a shape: the caller's word is taken
    if (has_both && !is_apart(send, op.sent, recv, op.room)) {
        fail_overlap(send, recv, op.room);
    }
    op.to = dest;
    op.tag = sendtag;
    op.from = source;
    op.recv_tag = recvtag;
    op.send = send;
    op.recv = recv;
}

} // namespace xcoll::api::describe

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

// Whom a message goes to or comes from.
struct Side {
    int peer, tag;
    const char *peer_name, *tag_name;
    bool any; // source, or tag

    bool has_peer(const Comm &comm) const {
        return (any && peer == XCOLL_ANY_SOURCE) || (peer >= 0 && peer < comm.team().size);
    }
    bool has_tag() const {
        return tag >= 0 || (any && tag == XCOLL_ANY_TAG);
    }
    bool is_none() const {
        return peer == XCOLL_NO_RANK;
    }
};

// If both are known, the peer can be told when the rest of the call is refused.
void name_message(const Comm &comm, const Side &side, int &peer, int &tag) {
    const bool is_known = !side.is_none() && side.has_peer(comm) && side.has_tag();
    peer = is_known ? side.peer : XCOLL_NO_RANK;
    tag = is_known ? side.tag : 0;
}

void check_side(const Comm &comm, const Side &side) {
    if (!side.has_peer(comm)) {
        fail(XCOLL_ERR_ARGUMENT, "%s %d is not a rank: expected 0 to %d%s or XCOLL_NO_RANK", side.peer_name, side.peer,
             comm.team().size - 1, side.any ? ", XCOLL_ANY_SOURCE" : "");
    }
    if (!side.has_tag()) {
        fail(XCOLL_ERR_ARGUMENT, "%s %d is negative: expected 0 or more%s", side.tag_name, side.tag,
             side.any ? ", or XCOLL_ANY_TAG" : "");
    }
}

// The bytes of one side; items that do not lie together become a part.
size_t set_side(const char *name, const void *buffer, const char *count_name, size_t count, const Items &items,
                Portion *part) {
    check_count(items, count_name, count);
    check_buffer(name, buffer, count, count * items.bytes);
    if (part) {
        *part = items.portion(buffer, 0, count);
    }
    return count * items.bytes;
}

} // namespace

void send(Call &call, const Comm &comm, const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag) {
    Op &op = call.op;
    const Side to{peer, tag, "peer", "tag", false};
    op.kind = Kind::send;
    name_message(comm, to, op.to, op.tag);
    if (to.is_none()) {
        return;
    }
    check_messages(comm);
    check_side(comm, to);
    const Items items = items_of(call, "dtype", dtype);
    op.sent = set_side("buf", buf, "count", count, items, items.shape ? call.make_parts(1, 1) : nullptr);
    op.send = buf;
}

void recv(Call &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag) {
    Op &op = call.op;
    const Side from{peer, tag, "peer", "tag", true};
    op.kind = Kind::recv;
    name_message(comm, from, op.from, op.recv_tag);
    if (from.is_none()) {
        return;
    }
    check_messages(comm);
    check_side(comm, from);
    const Items items = items_of(call, "dtype", dtype);
    op.room = set_side("buf", buf, "count", count, items, items.shape ? call.make_parts(1, 1) + 1 : nullptr);
    op.recv = buf;
}

void sendrecv(Call &call, const Comm &comm, const void *send, size_t sendcount, int dest, int sendtag, void *recv,
              size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype) {
    Op &op = call.op;
    const Side to{dest, sendtag, "dest", "sendtag", false}, from{source, recvtag, "source", "recvtag", true};
    op.kind = Kind::sendrecv;
    name_message(comm, to, op.to, op.tag);
    name_message(comm, from, op.from, op.recv_tag);
    if (to.is_none() && from.is_none()) {
        return;
    }
    check_messages(comm);
    const Items items = items_of(call, "dtype", dtype);
    Portion *parts = items.shape ? call.make_parts(1, 1) : nullptr;
    if (!to.is_none()) {
        check_side(comm, to);
        op.sent = set_side("send", send, "sendcount", sendcount, items, parts);
        op.send = send;
    }
    if (!from.is_none()) {
        check_side(comm, from);
        op.room = set_side("recv", recv, "recvcount", recvcount, items, parts ? parts + 1 : nullptr);
        op.recv = recv;
    }
    if (!items.shape) { // of a shape: the caller's word is taken
        check_apart(op);
    }
}

} // namespace xcoll::api::describe

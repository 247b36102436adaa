// The one place where the arguments of operations are checked and brought into one form. Throws call errors that say
// what was expected and what was seen, of which parameter by the name that it has in xcoll.h.
#pragma once

#include "api/items.h"
#include "base/overlap.h"
#include "core/comm.h"

namespace xcoll::api {

[[noreturn]] void fail_dtype(const char *name, xcoll_dtype_t dtype);
[[noreturn]] void fail_operator(xcoll_dtype_t dtype, xcoll_op_t op);
[[noreturn]] void fail_root(int root, int size);
[[noreturn]] void fail_buffer(const char *name, const void *buffer, size_t count);
[[noreturn]] void fail_count(const char *name, size_t count, size_t element);
// `expected`: what the call could have used.
[[noreturn]] void fail_overlap(const char *name, const void *buffer, const char *other_name, const void *other,
                               size_t bytes, const char *expected);
// Where calls may be in place.
[[noreturn]] void fail_overlap(const void *send, const void *recv, size_t bytes);

// What is known of a call that was made before is not looked at again (core/habit.h).
inline void set_type(KnownCall &, xcoll_dtype_t, const char *, size_t) {
}
inline void set_operator(KnownCall &, xcoll_dtype_t, xcoll_op_t) {
}
inline void set_root(KnownCall &, int, int) {
}
inline void check_scan_operator(const KnownCall &) {
}

// Of a type that the user made: for operators of users.
void set_items(Call &call, xcoll_dtype_t dtype, const char *count_name, size_t count);
inline void set_type(Call &call, xcoll_dtype_t dtype, const char *count_name, size_t count) {
    call.op.count = count; // for a group that does not run because of the type (core/group.cpp)
    if (!is_dtype(dtype)) [[unlikely]] {
        set_items(call, dtype, count_name, count);
        return;
    }
    if (count > most_elements) [[unlikely]] {
        fail_count(count_name, count, size_of(dtype));
    }
    call.op.dtype = dtype_of(dtype);
}

void set_user_operator(Call &call, xcoll_dtype_t dtype, xcoll_op_t handle);
inline void set_operator(Call &call, xcoll_dtype_t dtype, xcoll_op_t handle) {
    if (!is_operator(handle) || !has_operator(call.op.dtype, operator_of(handle))) [[unlikely]] {
        set_user_operator(call, dtype, handle);
        return;
    }
    call.op.op = operator_of(handle);
}
void check_scan_operator(const Call &call);

inline void check_buffer(const char *name, const void *buffer, size_t count, size_t bytes) {
    if (bytes != 0 && (!buffer || buffer == XCOLL_IN_PLACE)) [[unlikely]] {
        fail_buffer(name, buffer, count);
    }
}
// What is sent, and the room for what is received.
inline void check_apart(const Op &op) {
    if (op.sent != 0 && op.room != 0 && !lie_apart(op.send, op.sent, op.recv, op.room)) [[unlikely]] {
        fail_overlap("send", op.send, "recv", op.recv, op.room, "separate buffers");
    }
}

inline void set_root(Call &call, int root, int size) {
    if (root < 0 || root >= size) [[unlikely]] {
        fail_root(root, size);
    }
    call.op.root = root;
}

// Of portions that are one run each.
bool overlap(const Portion &a, const Portion &b);
// No other part that goes out shares memory with one that comes in. Views may be woven into each other. A side is one
// part of this rank, or one for each rank.
void check_apart(Kind kind, int rank, std::span<const Portion> out, std::span<const Portion> in);
// Of those that passed: something comes in where something goes out.
bool coincide(Kind kind, std::span<const Portion> out, std::span<const Portion> in);

// One buffer for both directions.
inline void set_buffer(Op &op, void *buf) {
    if (op.count != 0 && (!buf || buf == XCOLL_IN_PLACE)) [[unlikely]] {
        fail_buffer("buf", buf, op.count);
    }
    op.send = op.recv = buf;
}

// In place is send == recv from here on.
inline void set_buffers(Op &op, const void *send, void *recv) {
    if (op.count != 0) [[likely]] {
        if (!recv || recv == XCOLL_IN_PLACE) [[unlikely]] {
            fail_buffer("recv", recv, op.count);
        }
        if (!send) [[unlikely]] {
            fail_buffer("send", send, op.count);
        }
        send = send == XCOLL_IN_PLACE ? recv : send;
        if (send != recv && !lie_apart(send, op.bytes(), recv, op.bytes())) [[unlikely]] {
            fail_overlap(send, recv, op.bytes());
        }
    }
    op.send = send;
    op.recv = recv;
}

// Only one of the two is looked at on this rank.
inline void set_input(Op &op, const void *send, size_t count) {
    if (count != 0 && (!send || send == XCOLL_IN_PLACE)) [[unlikely]] {
        fail_buffer("send", send, count);
    }
    op.send = send;
}
inline void set_output(Op &op, void *recv, size_t count) {
    if (count != 0 && (!recv || recv == XCOLL_IN_PLACE)) [[unlikely]] {
        fail_buffer("recv", recv, count);
    }
    op.recv = recv;
}

// Buffers of so many blocks of op.count elements. They may share one block: this rank's own. With XCOLL_IN_PLACE as
// send they are one buffer, and what comes replaces what goes.
struct Blocks {
    size_t sent, received;
    size_t own_sent, own_received; // where the own block is
};
inline void set_blocks(Op &op, const void *send, void *recv, const Blocks &blocks) {
    const size_t bytes = op.bytes();
    if (bytes != 0) [[likely]] {
        set_output(op, recv, op.count * blocks.received);
        if (!send) [[unlikely]] {
            fail_buffer("send", send, op.count * blocks.sent);
        }
        send = send == XCOLL_IN_PLACE ? recv : send;
        const auto s = reinterpret_cast<uintptr_t>(send);
        const auto r = reinterpret_cast<uintptr_t>(recv);
        const bool apart = lie_apart(send, blocks.sent * bytes, recv, blocks.received * bytes);
        const bool one_buffer = s == r && (blocks.sent > 1 || blocks.received == 1);
        if (!apart && !one_buffer && s + blocks.own_sent * bytes != r + blocks.own_received * bytes) [[unlikely]] {
            fail_overlap(send, recv, std::max(blocks.sent, blocks.received) * bytes);
        }
    }
    op.send = send;
    op.recv = recv;
}
// Of one type that the user made on both sides of a call, which has one name and one count for it.
void check_items(Call &call, xcoll_dtype_t dtype, const char *count_name, size_t count);
// A buffer of a made type, for both directions.
void set_shaped_buffer(Call &call, void *buf, size_t count, xcoll_dtype_t dtype);

} // namespace xcoll::api

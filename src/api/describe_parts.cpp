#include "api/describe_parts.h"

#include <algorithm>

#include "api/describe.h"
#include "base/digest.h"

namespace xcoll::api::describe {

namespace {

// ---- one side of a call: a part for every rank

// An argument with an element for each rank, and what it is called.
template <class T> struct PerRank {
    const char *name;
    const T *values;
};
using Sizes = PerRank<size_t>;
using Types = PerRank<xcoll_dtype_t>;

struct Buffer {
    const char *name;
    const void *address;
};

template <class T> void check_given(const PerRank<T> &argument) {
    if (!argument.values) {
        fail(XCOLL_ERR_ARGUMENT, "%s is NULL: expected one element for each rank", argument.name);
    }
}

std::string element_name(const char *array, int rank) {
    return format("%s[%d]", array, rank);
}

void check_count(const Items &items, const Sizes &counts, int rank) {
    if (!items.may_be(counts.values[rank])) {
        fail_count(element_name(counts.name, rank).c_str(), counts.values[rank], items.reach());
    }
}

Items items_for(Call &call, const Types &types, int rank) {
    const std::optional<Items> items = find_items(call, types.values[rank]);
    if (!items) {
        fail_dtype(element_name(types.name, rank).c_str(), types.values[rank]);
    }
    return *items;
}

void check_buffer(const Buffer &buffer, const Portion &part, size_t count) {
    if (part.bytes() != 0 && (!buffer.address || buffer.address == XCOLL_IN_PLACE)) {
        fail_buffer(buffer.name, buffer.address, count);
    }
}

// Parts of one type, displaced by whole items; without displacements one behind the other.
void fill(Portion *parts, const Buffer &buffer, const Items &items, const Sizes &counts, const size_t *displacements,
          int ranks) {
    check_given(counts);
    size_t next = 0;
    for (int p = 0; p < ranks; ++p) {
        const size_t count = counts.values[p];
        check_count(items, counts, p);
        const size_t at = displacements ? displacements[p] : next;
        parts[p] = items.portion(buffer.address, at * static_cast<size_t>(items.extent), count);
        check_buffer(buffer, parts[p], count);
        next += count;
    }
}

// Equal parts, one behind the other.
void fill(Portion *parts, const Buffer &buffer, const Items &items, const char *count_name, size_t count, int ranks) {
    check_count(items, count_name, count);
    for (int p = 0; p < ranks; ++p) {
        parts[p] = items.portion(buffer.address, static_cast<size_t>(p) * items.span(count), count);
        check_buffer(buffer, parts[p], count);
    }
}

// Parts of different types, displaced by bytes. Without a buffer displacements are addresses.
void fill(Call &call, Portion *parts, const Buffer &buffer, const Sizes &counts, const Sizes &displacements,
          const Types &types, int ranks) {
    check_given(counts);
    check_given(displacements);
    check_given(types);
    for (int p = 0; p < ranks; ++p) {
        const Items items = items_for(call, types, p);
        check_count(items, counts, p);
        parts[p] = items.portion(buffer.address, displacements.values[p], counts.values[p]);
        check_buffer({buffer.name, parts[p].base}, parts[p], counts.values[p]);
    }
}

// ---- both sides together

// What this rank gives to itself is what it takes.
void check_own(const Portion &out, const Portion &in) {
    if (out.bytes() != in.bytes()) {
        fail(XCOLL_ERR_ARGUMENT, "this rank sends %zu bytes to itself and receives %zu from itself: expected the same",
             out.bytes(), in.bytes());
    }
}

// The counts of equal parts are the same in elements, whatever the two types.
void set_equal_parts(Op &op, const Items &sent, size_t sendcount, const Items &received, size_t recvcount) {
    if (sent.base != received.base) {
        fail(XCOLL_ERR_TYPE, "sendtype is made of %s and recvtype of %s: expected the same base type",
             name_of(sent.base), name_of(received.base));
    }
    if (sendcount * sent.elements != recvcount * received.elements ||
        sendcount * sent.bytes != recvcount * received.bytes) {
        fail(XCOLL_ERR_ARGUMENT,
             "sendcount and sendtype make %zu elements, recvcount and recvtype %zu: expected equal parts",
             sendcount * sent.elements, recvcount * received.elements);
    }
    op.dtype = sent.base;
    op.count = sendcount * sent.elements;
}

bool is_root(Call &call, const Comm &comm, int root) {
    set_root(call, root, comm.team().size);
    return comm.team().rank == root;
}

// What a rank sends or takes alone, when the other side of the call does not matter here.
void set_single(Portion &part, const Buffer &buffer, const Items &items, const char *count_name, size_t count) {
    check_count(items, count_name, count);
    part = items.portion(buffer.address, 0, count);
    check_buffer(buffer, part, count);
}

// One part that goes to all (or to a root) and one from each rank.
void set_gathering(Call &call, const Comm &comm, const void *send, const Items &sent, size_t sendcount,
                   const Portion *in) {
    Portion *out = const_cast<Portion *>(call.op.out);
    const Portion &own = in[comm.team().rank];
    if (send == XCOLL_IN_PLACE) {
        out[0] = own;
        return;
    }
    set_single(out[0], {"send", send}, sent, "sendcount", sendcount);
    check_own(out[0], own);
    check_apart(call.op.kind, comm.team().rank, {out, 1}, {in, static_cast<size_t>(comm.team().size)});
}

// One part to each rank and one from a root.
void set_scattering(Kind kind, const Comm &comm, void *recv, const Items &received, size_t recvcount,
                    const Portion *out, Portion *in) {
    const Portion &own = out[comm.team().rank];
    if (recv == XCOLL_IN_PLACE) {
        in[0] = own;
        return;
    }
    set_single(in[0], {"recv", recv}, received, "recvcount", recvcount);
    check_own(own, in[0]);
    check_apart(kind, comm.team().rank, {out, static_cast<size_t>(comm.team().size)}, {in, 1});
}

// What every rank gives to every rank, which in place is what it takes.
template <class FillOut>
void set_all_to_all(Call &call, const Comm &comm, const void *send, void *recv, const FillOut &fill_out) {
    const auto ranks = static_cast<size_t>(comm.team().size);
    Portion *out = const_cast<Portion *>(call.op.out);
    const Portion *in = call.op.in;
    call.op.recv = recv;
    if (send == XCOLL_IN_PLACE) {
        std::copy_n(in, ranks, out);
        call.op.send = recv;
        return;
    }
    call.op.send = send;
    fill_out(out);
    check_own(out[comm.team().rank], in[comm.team().rank]);
    check_apart(call.op.kind, comm.team().rank, {out, ranks}, {in, ranks});
}

// What is of one predefined type on both sides is the call without types for each: a bridge to MPI gives two always.
// A count that is wrong is told of as the call names it.
bool are_one(size_t sendcount, xcoll_dtype_t sendtype, size_t recvcount, xcoll_dtype_t recvtype) {
    return is_dtype(recvtype) && sendtype == recvtype && sendcount == recvcount && recvcount <= most_elements;
}

uint32_t hash_of(const size_t *counts, int ranks) {
    Digest digest;
    std::for_each_n(counts, ranks, [&](size_t count) { digest.add(count); });
    return digest.upper(32) | 1; // 0 would be none
}

} // namespace

void reduce_scatterv(Call &call, const Comm &comm, const void *send, void *recv, const size_t *recvcounts,
                     xcoll_dtype_t dtype, xcoll_op_t op_handle) {
    Op &op = call.op;
    op.kind = Kind::reduce_scatterv;
    const Sizes counts{"recvcounts", recvcounts};
    check_given(counts);
    const int ranks = comm.team().size, rank = comm.team().rank;
    size_t total = 0, before = 0;
    for (int p = 0; p < ranks; ++p) {
        before += p < rank ? recvcounts[p] : 0;
        total += recvcounts[p];
        if (recvcounts[p] > most_elements) {
            fail_count(element_name(counts.name, p).c_str(), recvcounts[p], is_dtype(dtype) ? size_of(dtype) : 1);
        }
    }
    set_type(call, dtype, "the sum of recvcounts", total);
    set_operator(call, dtype, op_handle);
    op.set_counts(call.keep(recvcounts, static_cast<size_t>(ranks)), static_cast<size_t>(ranks));
    op.signature = hash_of(recvcounts, ranks);
    const size_t own = recvcounts[rank] * op.element_bytes();
    if (send == XCOLL_IN_PLACE) {
        set_input(op, recv, total);
        op.recv = recv;
        return;
    }
    set_input(op, send, total);
    set_output(op, recv, recvcounts[rank]);
    char *front = static_cast<char *>(const_cast<void *>(send));
    const Portion input{front, op.bytes(), nullptr}, output{static_cast<char *>(recv), own, nullptr};
    if (overlap(input, output) && recv != send && recv != front + before * op.element_bytes()) {
        fail_overlap(send, recv, op.bytes());
    }
}

void allgatherv(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv, const size_t *recvcounts,
                const size_t *displs, xcoll_dtype_t dtype) {
    call.op.kind = Kind::allgatherv;
    const int ranks = comm.team().size;
    const Items items = items_of(call, "dtype", dtype);
    call.op.dtype = items.base;
    Portion *in = call.make_parts(1, static_cast<size_t>(ranks)) + 1;
    fill(in, {"recv", recv}, items, {"recvcounts", recvcounts}, displs, ranks);
    set_gathering(call, comm, send, items, sendcount, in);
}

void gatherv(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv, const size_t *recvcounts,
             const size_t *displs, xcoll_dtype_t dtype, int root) {
    call.op.kind = Kind::gatherv;
    send = own_side(comm, root, send, recv);
    const bool receives = is_root(call, comm, root);
    const Items items = items_of(call, "dtype", dtype);
    call.op.dtype = items.base;
    if (!receives) {
        set_single(call.make_parts(1, 1)[0], {"send", send}, items, "sendcount", sendcount);
        return;
    }
    const int ranks = comm.team().size;
    Portion *in = call.make_parts(1, static_cast<size_t>(ranks)) + 1;
    fill(in, {"recv", recv}, items, {"recvcounts", recvcounts}, displs, ranks);
    set_gathering(call, comm, send, items, sendcount, in);
}

void scatterv(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *displs,
              void *recv, size_t recvcount, xcoll_dtype_t dtype, int root) {
    call.op.kind = Kind::scatterv;
    recv = own_side(comm, root, recv, send);
    const bool sends = is_root(call, comm, root);
    const Items items = items_of(call, "dtype", dtype);
    call.op.dtype = items.base;
    if (!sends) {
        set_single(call.make_parts(1, 1)[1], {"recv", recv}, items, "recvcount", recvcount);
        return;
    }
    const int ranks = comm.team().size;
    Portion *out = call.make_parts(static_cast<size_t>(ranks), 1);
    fill(out, {"send", send}, items, {"sendcounts", sendcounts}, displs, ranks);
    set_scattering(call.op.kind, comm, recv, items, recvcount, out, out + ranks);
}

void alltoallv(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *sdispls,
               void *recv, const size_t *recvcounts, const size_t *rdispls, xcoll_dtype_t dtype) {
    call.op.kind = Kind::alltoallv;
    const int ranks = comm.team().size;
    const auto n = static_cast<size_t>(ranks);
    const Items items = items_of(call, "dtype", dtype);
    call.op.dtype = items.base;
    fill(call.make_parts(n, n) + ranks, {"recv", recv}, items, {"recvcounts", recvcounts}, rdispls, ranks);
    set_all_to_all(call, comm, send, recv, [&](Portion *out) {
        fill(out, {"send", send}, items, {"sendcounts", sendcounts}, sdispls, ranks);
    });
}

void allgather_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                     void *recv, size_t recvcount, xcoll_dtype_t recvtype) {
    if (are_one(sendcount, sendtype, recvcount, recvtype)) {
        allgather(call, comm, send, sendcount, recv, sendtype);
        return;
    }
    call.op.kind = Kind::allgather;
    const int ranks = comm.team().size;
    const bool in_place = send == XCOLL_IN_PLACE;
    const Items received = items_of(call, "recvtype", recvtype);
    const Items sent = in_place ? received : items_of(call, "sendtype", sendtype);
    set_equal_parts(call.op, in_place ? received : sent, in_place ? recvcount : sendcount, received, recvcount);
    Portion *in = call.make_parts(1, static_cast<size_t>(ranks)) + 1;
    fill(in, {"recv", recv}, received, "recvcount", recvcount, ranks);
    set_gathering(call, comm, send, sent, sendcount, in);
}

void gather_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                  size_t recvcount, xcoll_dtype_t recvtype, int root) {
    if (are_one(sendcount, sendtype, recvcount, recvtype)) {
        gather(call, comm, send, sendcount, recv, sendtype, root);
        return;
    }
    call.op.kind = Kind::gather;
    const bool receives = is_root(call, comm, root);
    const bool in_place = receives && send == XCOLL_IN_PLACE;
    const Items sent = in_place ? items_of(call, "recvtype", recvtype) : items_of(call, "sendtype", sendtype);
    const Items received = receives ? items_of(call, "recvtype", recvtype) : sent;
    const size_t count = in_place ? recvcount : sendcount;
    set_equal_parts(call.op, sent, count, received, receives ? recvcount : count);
    if (!receives) {
        set_single(call.make_parts(1, 1)[0], {"send", send}, sent, "sendcount", sendcount);
        return;
    }
    const int ranks = comm.team().size;
    Portion *in = call.make_parts(1, static_cast<size_t>(ranks)) + 1;
    fill(in, {"recv", recv}, received, "recvcount", recvcount, ranks);
    set_gathering(call, comm, send, sent, sendcount, in);
}

void scatter_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                   size_t recvcount, xcoll_dtype_t recvtype, int root) {
    if (are_one(sendcount, sendtype, recvcount, recvtype)) {
        scatter(call, comm, send, recv, recvcount, recvtype, root);
        return;
    }
    call.op.kind = Kind::scatter;
    const bool sends = is_root(call, comm, root);
    const bool in_place = sends && recv == XCOLL_IN_PLACE;
    const Items received = in_place ? items_of(call, "sendtype", sendtype) : items_of(call, "recvtype", recvtype);
    const Items sent = sends ? items_of(call, "sendtype", sendtype) : received;
    const size_t count = in_place ? sendcount : recvcount;
    set_equal_parts(call.op, sent, sends ? sendcount : count, received, count);
    if (!sends) {
        set_single(call.make_parts(1, 1)[1], {"recv", recv}, received, "recvcount", recvcount);
        return;
    }
    const int ranks = comm.team().size;
    Portion *out = call.make_parts(static_cast<size_t>(ranks), 1);
    fill(out, {"send", send}, sent, "sendcount", sendcount, ranks);
    set_scattering(call.op.kind, comm, recv, received, recvcount, out, out + ranks);
}

void alltoall_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                    void *recv, size_t recvcount, xcoll_dtype_t recvtype) {
    if (are_one(sendcount, sendtype, recvcount, recvtype)) {
        alltoall(call, comm, send, recv, recvcount, recvtype);
        return;
    }
    call.op.kind = Kind::alltoall;
    const int ranks = comm.team().size;
    const auto n = static_cast<size_t>(ranks);
    const bool in_place = send == XCOLL_IN_PLACE;
    const Items received = items_of(call, "recvtype", recvtype);
    const Items sent = in_place ? received : items_of(call, "sendtype", sendtype);
    set_equal_parts(call.op, sent, in_place ? recvcount : sendcount, received, recvcount);
    Portion *out = call.make_parts(n, n), *in = out + ranks;
    fill(in, {"recv", recv}, received, "recvcount", recvcount, ranks);
    call.op.recv = recv;
    call.op.send = in_place ? recv : send;
    fill(out, {"send", call.op.send}, sent, "sendcount", in_place ? recvcount : sendcount, ranks);
    check_apart(call.op.kind, comm.team().rank, {out, n}, {in, n});
}

void allgatherw(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                const size_t *recvcounts, const size_t *rdispls_bytes, const xcoll_dtype_t *recvtypes) {
    call.op.kind = Kind::allgatherv;
    const int ranks = comm.team().size;
    Portion *in = call.make_parts(1, static_cast<size_t>(ranks)) + 1;
    fill(call, in, {"recv", recv}, {"recvcounts", recvcounts}, {"rdispls_bytes", rdispls_bytes},
         {"recvtypes", recvtypes}, ranks);
    const Items sent = send == XCOLL_IN_PLACE ? Items{} : items_of(call, "sendtype", sendtype);
    set_gathering(call, comm, send, sent, sendcount, in);
}

void alltoallw(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *sdispls_bytes,
               const xcoll_dtype_t *sendtypes, void *recv, const size_t *recvcounts, const size_t *rdispls_bytes,
               const xcoll_dtype_t *recvtypes) {
    call.op.kind = Kind::alltoallv;
    const int ranks = comm.team().size;
    const auto n = static_cast<size_t>(ranks);
    fill(call, call.make_parts(n, n) + ranks, {"recv", recv}, {"recvcounts", recvcounts},
         {"rdispls_bytes", rdispls_bytes}, {"recvtypes", recvtypes}, ranks);
    set_all_to_all(call, comm, send, recv, [&](Portion *out) {
        fill(call, out, {"send", send}, {"sendcounts", sendcounts}, {"sdispls_bytes", sdispls_bytes},
             {"sendtypes", sendtypes}, ranks);
    });
}

} // namespace xcoll::api::describe

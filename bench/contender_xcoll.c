/* xcoll itself, through nothing but its public header: `xcoll [blocking|heap|nonblocking|persistent]`; heap: blocking,
 * with buffers of xcoll_mem_alloc. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ordinary.h"
#include "xcoll.h"

static xcoll_comm_t world;
static int rank_here, ranks;
static enum form { FORM_BLOCKING, FORM_HEAP, FORM_NONBLOCKING, FORM_PERSISTENT } form;

static void must(xcoll_result_t result) {
    if (result == XCOLL_SUCCESS) {
        return;
    }
    fprintf(stderr, "bench: %s: %s\n", xcoll_error_name(result), xcoll_last_error());
    exit(1);
}

static xcoll_dtype_t type_of(enum dtype dtype) {
    return dtype == DTYPE_F32 ? (xcoll_dtype_t)XCOLL_FLOAT32 : (xcoll_dtype_t)XCOLL_BFLOAT16;
}

int contender_begin(int argc, char **argv) {
    static const char *const forms[] = {"blocking", "heap", "nonblocking", "persistent"};
    for (int f = FORM_BLOCKING; argc > 1 && f <= FORM_PERSISTENT; f++) {
        if (strcmp(argv[1], forms[f]) == 0) {
            form = (enum form)f;
        }
    }
    const char *rank = getenv("XCOLL_RANK");
    return rank == NULL ? 0 : atoi(rank);
}

void contender_init(int *rank, int *size) {
    must(xcoll_init(&world));
    must(xcoll_comm_rank(world, rank));
    must(xcoll_comm_size(world, size));
    rank_here = *rank;
    ranks = *size;
    check_ranks(ranks);
}

const struct variant *contender_variants(void) {
    return ordinary_variants(form == FORM_PERSISTENT || form == FORM_NONBLOCKING ? 1u << OP_PINGPONG : 0);
}

void *contender_alloc(enum memory memory, size_t bytes) {
    (void)memory;
    void *from_heap;
    if (form == FORM_HEAP) {
        must(xcoll_mem_alloc(world, bytes, &from_heap));
        return from_heap;
    }
    return private_memory(bytes);
}

/* In uneven parts. */
static struct parts { size_t sent[most_ranks], received[most_ranks]; } parts;
static struct peers peers;

#define CALLS(CALL)                                                                                                    \
    CALL(OP_BARRIER, barrier)                                                                                          \
    CALL(OP_BCAST, bcast, recv, count, type, root)                                                                     \
    CALL(OP_ALLREDUCE, allreduce, send, recv, count, type, XCOLL_SUM)                                                  \
    CALL(OP_REDUCE, reduce, send, recv, count, type, XCOLL_SUM, root)                                                  \
    CALL(OP_REDUCE_SCATTER, reduce_scatter, send, recv, count, type, XCOLL_SUM)                                        \
    CALL(OP_ALLGATHER, allgather, send, count, recv, type)                                                             \
    CALL(OP_ALLTOALL, alltoall, send, recv, count, type)                                                               \
    CALL(OP_GATHER, gather, send, count, recv, type, root)                                                             \
    CALL(OP_SCATTER, scatter, send, recv, count, type, root)                                                           \
    CALL(OP_ALLGATHERV, allgatherv, send, parts.sent[rank_here], recv, parts.received, NULL, type)                     \
    CALL(OP_ALLTOALLV, alltoallv, send, parts.sent, NULL, recv, parts.received, NULL, type)                            \
    CALL(OP_REDUCE_SCATTERV, reduce_scatterv, send, recv, parts.received, type, XCOLL_SUM)                             \
    CALL(OP_GATHERV, gatherv, send, parts.sent[rank_here], recv, parts.received, NULL, type, root)                     \
    CALL(OP_SCATTERV, scatterv, send, parts.sent, NULL, recv, parts.received[rank_here], type, root)                   \
    CALL(OP_SENDRECV, sendrecv, send, count, peers.to, 0, recv, count, peers.from, 0, type)                            \
    CALL(OP_SCAN, scan, send, recv, count, type, XCOLL_SUM)                                                            \
    CALL(OP_EXSCAN, exscan, send, recv, count, type, XCOLL_SUM)

static void call_group(const struct call *call) {
    const xcoll_dtype_t type = type_of(call->dtype);
    must(xcoll_group_start());
    for (size_t k = 0; k < group_calls; k++) {
        const size_t at = k * call->count * dtype_size(call->dtype);
        const char *send = (const char *)call->send + at;
        char *recv = call->recv;
        must(call->variant->op == OP_GROUP ? xcoll_allgather(send, call->count, recv + at * (size_t)ranks, type, world)
                                           : xcoll_allreduce(send, recv + at, call->count, type, XCOLL_SUM, world));
    }
}

static void call_halo(const struct call *call) {
    const xcoll_dtype_t type = type_of(call->dtype);
    const size_t bytes = call->count * dtype_size(call->dtype);
    must(xcoll_group_start());
    must(xcoll_recv(call->recv, call->count, type, peers.from, 0, world));
    must(xcoll_recv((char *)call->recv + bytes, call->count, type, peers.to, 1, world));
    must(xcoll_send(call->send, call->count, type, peers.to, 0, world));
    must(xcoll_send((const char *)call->send + bytes, call->count, type, peers.from, 1, world));
}

/* Without a group, as programs do it that were written for MPI. */
static void ihalo(const struct call *call) {
    const xcoll_dtype_t type = type_of(call->dtype);
    const size_t bytes = call->count * dtype_size(call->dtype);
    xcoll_request_t requests[4];
    must(xcoll_irecv(call->recv, call->count, type, peers.from, 0, world, &requests[0]));
    must(xcoll_irecv((char *)call->recv + bytes, call->count, type, peers.to, 1, world, &requests[1]));
    must(xcoll_isend(call->send, call->count, type, peers.to, 0, world, &requests[2]));
    must(xcoll_isend((const char *)call->send + bytes, call->count, type, peers.from, 1, world, &requests[3]));
    must(xcoll_waitall(4, requests));
}

static void record_group(const struct call *call) {
    if (call->variant->op == OP_HALO) {
        call_halo(call);
    } else {
        call_group(call);
    }
}

static void ping_pong(const struct call *call) {
    const xcoll_dtype_t type = type_of(call->dtype);
    if (rank_here % 2 == 0) {
        must(xcoll_send(call->send, call->count, type, peers.to, 0, world));
    }
    must(xcoll_recv(call->recv, call->count, type, peers.from, 0, world));
    if (rank_here % 2 == 1) {
        must(xcoll_send(call->send, call->count, type, peers.to, 0, world));
    }
}

static void run_blocking(const struct call *call, int root) {
    const xcoll_dtype_t type = type_of(call->dtype);
    const size_t count = call->count;
    const void *send = call->send;
    void *recv = call->recv;
    switch (call->variant->op) {
#define CALL(id, name, ...)                                                                                            \
    case id:                                                                                                           \
        must(xcoll_##name(__VA_ARGS__ __VA_OPT__(, ) world));                                                          \
        break;
        CALLS(CALL)
#undef CALL
    case OP_PINGPONG:
        ping_pong(call);
        break;
    default:
        record_group(call);
        must(xcoll_group_end());
    }
}

static void run_nonblocking(const struct call *call, int root) {
    const xcoll_dtype_t type = type_of(call->dtype);
    const size_t count = call->count;
    const void *send = call->send;
    void *recv = call->recv;
    xcoll_request_t request;
    switch (call->variant->op) {
#define CALL(id, name, ...)                                                                                            \
    case id:                                                                                                           \
        must(xcoll_i##name(__VA_ARGS__ __VA_OPT__(, ) world, &request));                                               \
        break;
        CALLS(CALL)
#undef CALL
    case OP_HALO:
        ihalo(call);
        return;
    default:
        call_group(call);
        must(xcoll_group_iend(&request));
    }
    must(xcoll_wait(&request));
}

/* One for each root. */
static xcoll_request_t persistent[most_ranks];

static void make_persistent(const struct call *call, int root) {
    const xcoll_dtype_t type = type_of(call->dtype);
    const size_t count = call->count;
    const void *send = call->send;
    void *recv = call->recv;
    xcoll_request_t *request = &persistent[root];
    must(xcoll_request_free(request));
    switch (call->variant->op) {
#define CALL(id, name, ...)                                                                                            \
    case id:                                                                                                           \
        must(xcoll_##name##_init(__VA_ARGS__ __VA_OPT__(, ) world, request));                                          \
        break;
        CALLS(CALL)
#undef CALL
    default:
        record_group(call);
        must(xcoll_group_end_init(request));
    }
}

void contender_prepare(const struct call *call) {
    peers = peers_of(call->variant->op, rank_here, ranks, XCOLL_NO_RANK);
    for (int p = 0; p < ranks; p++) {
        parts.sent[p] = parts.received[p] = uneven(call->count, call->variant->op == OP_ALLTOALLV ? rank_here + p : p);
    }
    for (int root = 0; form == FORM_PERSISTENT && root < ranks; root++) {
        make_persistent(call, root);
    }
}

void contender_run(const struct call *call, int root) {
    if (form == FORM_PERSISTENT) {
        must(xcoll_start(&persistent[root]));
        must(xcoll_wait(&persistent[root]));
    } else if (form == FORM_NONBLOCKING) {
        run_nonblocking(call, root);
    } else {
        run_blocking(call, root);
    }
}

void contender_finalize(void) {
    for (int root = 0; root < ranks; root++) {
        must(xcoll_request_free(&persistent[root]));
    }
    xcoll_comm_free(&world);
    xcoll_finalize();
}

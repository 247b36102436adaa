/* Open MPI, MPICH and Intel MPI: compiled once for each of them. All at their defaults. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ordinary.h"
#include "vec.h"

/* MPI has no bf16: a program that needs it brings an operation of its own, as this one does. */
static MPI_Op bf16_sum;
static int rank_here, ranks;

static void add_bf16(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    vec_sum(inout, inout, in, (size_t)*count * 2, DTYPE_BF16, STORE_CACHED);
}

int contender_begin(int argc, char **argv) {
    (void)argc;
    (void)argv;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) {
        rank = getenv("PMI_RANK");
    }
    if (rank == NULL) {
        fprintf(stderr, "bench: neither OMPI_COMM_WORLD_RANK nor PMI_RANK is set; start this with its MPI's mpirun\n");
        exit(1);
    }
    return atoi(rank);
}

void contender_init(int *rank, int *size) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    rank_here = *rank;
    ranks = *size;
    check_ranks(ranks);
    MPI_Op_create(add_bf16, 1, &bf16_sum);
}

const struct variant *contender_variants(void) {
    return ordinary_variants(0);
}

void *contender_alloc(enum memory memory, size_t bytes) {
    (void)memory;
    return private_memory(bytes);
}

/* In uneven parts. */
static struct parts { int sent[most_ranks], sent_at[most_ranks], received[most_ranks], received_at[most_ranks]; } parts;
static struct peers peers;

void contender_prepare(const struct call *call) {
    int sent_at = 0, received_at = 0;
    peers = peers_of(call->variant->op, rank_here, ranks, MPI_PROC_NULL);
    for (int p = 0; p < ranks; p++) {
        const int pair = call->variant->op == OP_ALLTOALLV ? rank_here + p : p;
        parts.sent[p] = parts.received[p] = (int)uneven(call->count, pair);
        parts.sent_at[p] = sent_at;
        parts.received_at[p] = received_at;
        sent_at += parts.sent[p];
        received_at += parts.received[p];
    }
}

/* What MPI is asked for, in its words. */
struct asked {
    const void *send;
    void *recv;
    int count, root;
    MPI_Datatype type;
    MPI_Op sum;
    size_t block; /* bytes of `count` elements */
};

static struct asked asked_for(const struct call *call, int root) {
    const int is_f32 = call->dtype == DTYPE_F32;
    return (struct asked){.send = call->send == call->recv ? MPI_IN_PLACE : call->send,
                          .recv = call->recv,
                          .count = (int)call->count,
                          .root = root,
                          .type = is_f32 ? MPI_FLOAT : MPI_UINT16_T,
                          .sum = is_f32 ? MPI_SUM : bf16_sum,
                          .block = call->count * dtype_size(call->dtype)};
}

static void exchange_halo(const struct asked *a) {
    MPI_Request requests[4];
    MPI_Irecv(a->recv, a->count, a->type, peers.from, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv((char *)a->recv + a->block, a->count, a->type, peers.to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a->send, a->count, a->type, peers.to, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend((const char *)a->send + a->block, a->count, a->type, peers.from, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void go_there_and_back(const struct asked *a) {
    if (rank_here % 2 == 0) {
        MPI_Send(a->send, a->count, a->type, peers.to, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(a->recv, a->count, a->type, peers.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank_here % 2 == 1) {
        MPI_Send(a->send, a->count, a->type, peers.to, 0, MPI_COMM_WORLD);
    }
}

static void run_messages(enum op op, const struct asked *a) {
    switch (op) {
    case OP_SENDRECV:
        MPI_Sendrecv(a->send, a->count, a->type, peers.to, 0, a->recv, a->count, a->type, peers.from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    case OP_PINGPONG:
        go_there_and_back(a);
        break;
    case OP_HALO:
        exchange_halo(a);
        break;
    default:
        break;
    }
}

/* MPI knows no groups: one call behind the other. */
static void run_group(enum op op, const struct asked *a) {
    for (size_t k = 0; k < group_calls; k++) {
        const char *send = (const char *)a->send + k * a->block;
        if (op == OP_GROUP) {
            MPI_Allgather(send, a->count, a->type, (char *)a->recv + k * a->block * (size_t)ranks, a->count, a->type,
                          MPI_COMM_WORLD);
        } else {
            MPI_Allreduce(send, (char *)a->recv + k * a->block, a->count, a->type, a->sum, MPI_COMM_WORLD);
        }
    }
}

static void run_uneven(enum op op, const struct asked *a) {
    const int *sent = parts.sent, *sent_at = parts.sent_at, *received = parts.received, *at = parts.received_at;
    const int mine = sent[rank_here];
    switch (op) {
    case OP_ALLGATHERV:
        MPI_Allgatherv(a->send, mine, a->type, a->recv, received, at, a->type, MPI_COMM_WORLD);
        break;
    case OP_ALLTOALLV:
        MPI_Alltoallv(a->send, sent, sent_at, a->type, a->recv, received, at, a->type, MPI_COMM_WORLD);
        break;
    case OP_REDUCE_SCATTERV:
        MPI_Reduce_scatter(a->send, a->recv, received, a->type, a->sum, MPI_COMM_WORLD);
        break;
    case OP_GATHERV:
        MPI_Gatherv(a->send, mine, a->type, a->recv, received, at, a->type, a->root, MPI_COMM_WORLD);
        break;
    case OP_SCATTERV:
        MPI_Scatterv(a->send, sent, sent_at, a->type, a->recv, received[rank_here], a->type, a->root, MPI_COMM_WORLD);
        break;
    default:
        break;
    }
}

static void run_reduction(enum op op, const struct asked *a) {
    switch (op) {
    case OP_ALLREDUCE:
        MPI_Allreduce(a->send, a->recv, a->count, a->type, a->sum, MPI_COMM_WORLD);
        break;
    case OP_REDUCE:
        MPI_Reduce(a->send, a->recv, a->count, a->type, a->sum, a->root, MPI_COMM_WORLD);
        break;
    case OP_REDUCE_SCATTER:
        MPI_Reduce_scatter_block(a->send, a->recv, a->count, a->type, a->sum, MPI_COMM_WORLD);
        break;
    case OP_SCAN:
        MPI_Scan(a->send, a->recv, a->count, a->type, a->sum, MPI_COMM_WORLD);
        break;
    case OP_EXSCAN:
        MPI_Exscan(a->send, a->recv, a->count, a->type, a->sum, MPI_COMM_WORLD);
        break;
    default:
        break;
    }
}

static void run_even(enum op op, const struct asked *a) {
    switch (op) {
    case OP_BARRIER:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case OP_BCAST:
        MPI_Bcast(a->recv, a->count, a->type, a->root, MPI_COMM_WORLD);
        break;
    case OP_ALLGATHER:
        MPI_Allgather(a->send, a->count, a->type, a->recv, a->count, a->type, MPI_COMM_WORLD);
        break;
    case OP_ALLTOALL:
        MPI_Alltoall(a->send, a->count, a->type, a->recv, a->count, a->type, MPI_COMM_WORLD);
        break;
    case OP_GATHER:
        MPI_Gather(a->send, a->count, a->type, a->recv, a->count, a->type, a->root, MPI_COMM_WORLD);
        break;
    case OP_SCATTER:
        MPI_Scatter(a->send, a->count, a->type, a->recv, a->count, a->type, a->root, MPI_COMM_WORLD);
        break;
    default:
        break;
    }
}

void contender_run(const struct call *call, int root) {
    const enum op op = call->variant->op;
    const struct asked asked = asked_for(call, root);
    switch (op) {
    case OP_ALLREDUCE:
    case OP_REDUCE:
    case OP_REDUCE_SCATTER:
    case OP_SCAN:
    case OP_EXSCAN:
        run_reduction(op, &asked);
        break;
    case OP_ALLGATHERV:
    case OP_ALLTOALLV:
    case OP_REDUCE_SCATTERV:
    case OP_GATHERV:
    case OP_SCATTERV:
        run_uneven(op, &asked);
        break;
    case OP_SENDRECV:
    case OP_PINGPONG:
    case OP_HALO:
        run_messages(op, &asked);
        break;
    case OP_GROUP:
    case OP_GROUP_ALLREDUCE:
        run_group(op, &asked);
        break;
    default:
        run_even(op, &asked);
        break;
    }
}

void contender_finalize(void) {
    MPI_Op_free(&bf16_sum);
    MPI_Finalize();
}

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

static void exchange_halo(const struct call *call, MPI_Datatype type) {
    const int count = (int)call->count;
    const size_t bytes = call->count * dtype_size(call->dtype);
    MPI_Request requests[4];
    MPI_Irecv(call->recv, count, type, peers.from, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv((char *)call->recv + bytes, count, type, peers.to, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(call->send, count, type, peers.to, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend((const char *)call->send + bytes, count, type, peers.from, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

void contender_run(const struct call *call, int root) {
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = call->dtype == DTYPE_F32 ? MPI_FLOAT : MPI_UINT16_T;
    const MPI_Op sum = call->dtype == DTYPE_F32 ? MPI_SUM : bf16_sum;
    const int count = (int)call->count;
    const void *send = call->send == call->recv ? MPI_IN_PLACE : call->send;
    void *recv = call->recv;
    switch (call->variant->op) {
    case OP_BARRIER:
        MPI_Barrier(world);
        break;
    case OP_BCAST:
        MPI_Bcast(recv, count, type, root, world);
        break;
    case OP_ALLREDUCE:
        MPI_Allreduce(send, recv, count, type, sum, world);
        break;
    case OP_REDUCE:
        MPI_Reduce(send, recv, count, type, sum, root, world);
        break;
    case OP_REDUCE_SCATTER:
        MPI_Reduce_scatter_block(send, recv, count, type, sum, world);
        break;
    case OP_ALLGATHER:
        MPI_Allgather(send, count, type, recv, count, type, world);
        break;
    case OP_ALLTOALL:
        MPI_Alltoall(send, count, type, recv, count, type, world);
        break;
    case OP_GATHER:
        MPI_Gather(send, count, type, recv, count, type, root, world);
        break;
    case OP_SCATTER:
        MPI_Scatter(send, count, type, recv, count, type, root, world);
        break;
    case OP_ALLGATHERV:
        MPI_Allgatherv(send, parts.sent[rank_here], type, recv, parts.received, parts.received_at, type, world);
        break;
    case OP_ALLTOALLV:
        MPI_Alltoallv(send, parts.sent, parts.sent_at, type, recv, parts.received, parts.received_at, type, world);
        break;
    case OP_REDUCE_SCATTERV:
        MPI_Reduce_scatter(send, recv, parts.received, type, sum, world);
        break;
    case OP_GATHERV:
        MPI_Gatherv(send, parts.sent[rank_here], type, recv, parts.received, parts.received_at, type, root, world);
        break;
    case OP_SCATTERV:
        MPI_Scatterv(send, parts.sent, parts.sent_at, type, recv, parts.received[rank_here], type, root, world);
        break;
    case OP_SENDRECV:
        MPI_Sendrecv(send, count, type, peers.to, 0, recv, count, type, peers.from, 0, world, MPI_STATUS_IGNORE);
        break;
    case OP_PINGPONG:
        if (rank_here % 2 == 0) {
            MPI_Send(send, count, type, peers.to, 0, world);
        }
        MPI_Recv(recv, count, type, peers.from, 0, world, MPI_STATUS_IGNORE);
        if (rank_here % 2 == 1) {
            MPI_Send(send, count, type, peers.to, 0, world);
        }
        break;
    case OP_HALO:
        exchange_halo(call, type);
        break;
    case OP_SCAN:
        MPI_Scan(send, recv, count, type, sum, world);
        break;
    case OP_EXSCAN:
        MPI_Exscan(send, recv, count, type, sum, world);
        break;
    case OP_GROUP: /* MPI knows no groups */
        for (size_t k = 0; k < group_calls; k++) {
            const size_t at = k * call->count * dtype_size(call->dtype);
            MPI_Allgather((const char *)call->send + at, count, type, (char *)recv + at * (size_t)ranks, count, type,
                          world);
        }
        break;
    case OP_GROUP_ALLREDUCE:
        for (size_t k = 0; k < group_calls; k++) {
            const size_t at = k * call->count * dtype_size(call->dtype);
            MPI_Allreduce((const char *)call->send + at, (char *)recv + at, count, type, sum, world);
        }
        break;
    default:
        break;
    }
}

void contender_finalize(void) {
    MPI_Op_free(&bf16_sum);
    MPI_Finalize();
}

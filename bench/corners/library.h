/* What the program of this folder needs of a library: xcoll's, or with WITH_MPI that of an MPI. */
#ifndef BENCH_CORNERS_LIBRARY_H
#define BENCH_CORNERS_LIBRARY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef WITH_MPI
#include <mpi.h>

typedef MPI_Comm comm_t;
typedef MPI_Request request_t;
typedef MPI_Datatype type_t;
typedef MPI_Op op_t;
typedef int count_t;
typedef int place_t;
#define BYTE MPI_BYTE
#define TRUTH MPI_C_BOOL
#define FLOAT32 MPI_FLOAT
#define FLOAT64 MPI_DOUBLE
#define SUM MPI_SUM
#define LAND MPI_LAND
#define must(call) (void)(call)

static comm_t world_begin(int *rank) {
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return MPI_COMM_WORLD;
}
static void world_end(comm_t *comm) {
    (void)comm;
    MPI_Finalize();
}
static void add_doubles(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; ++i) {
        ((double *)inout)[i] += ((double *)in)[i];
    }
}
static op_t own_operator(void) {
    op_t op;
    MPI_Op_create(add_doubles, 1, &op);
    return op;
}
static type_t vector_of(count_t blocks, count_t stride) {
    type_t type;
    MPI_Type_vector(blocks, 1, stride, FLOAT64, &type);
    MPI_Type_commit(&type);
    return type;
}
static type_t indexed_of(count_t n, const count_t counts[], const place_t places[]) {
    type_t type;
    MPI_Type_indexed(n, counts, places, FLOAT32, &type);
    MPI_Type_commit(&type);
    return type;
}
#define type_free(type) MPI_Type_free(type)
#define barrier(comm) MPI_Barrier(comm)
#define bcast(data, n, type, comm) MPI_Bcast(data, n, type, 0, comm)
#define allreduce(data, n, type, op, comm) MPI_Allreduce(MPI_IN_PLACE, data, n, type, op, comm)
#define send(data, n, type, to, tag, comm) MPI_Send(data, n, type, to, tag, comm)
#define recv(data, n, type, from, tag, comm) MPI_Recv(data, n, type, from, tag, comm, MPI_STATUS_IGNORE)
#define isend(data, n, type, to, tag, comm, request) MPI_Isend(data, n, type, to, tag, comm, request)
#define irecv(data, n, type, from, tag, comm, request) MPI_Irecv(data, n, type, from, tag, comm, request)
#define waitall(n, requests) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE)
#define dup(comm, made) MPI_Comm_dup(comm, made)
#define split(comm, color, made) MPI_Comm_split(comm, color, 0, made)
#define comm_free(comm) MPI_Comm_free(comm)
#define group_begin() 0
#define group_end() 0

#else
#include <xcoll.h>

typedef xcoll_comm_t comm_t;
typedef xcoll_request_t request_t;
typedef xcoll_dtype_t type_t;
typedef xcoll_op_t op_t;
typedef size_t count_t;
typedef ptrdiff_t place_t;
#define BYTE XCOLL_UINT8
#define TRUTH XCOLL_BOOL
#define FLOAT32 XCOLL_FLOAT32
#define FLOAT64 XCOLL_FLOAT64
#define SUM XCOLL_SUM
#define LAND XCOLL_LAND

static void must(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "corners: %s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}
static comm_t world_begin(int *rank) {
    comm_t world;
    must(xcoll_init(&world));
    must(xcoll_comm_rank(world, rank));
    return world;
}
static void world_end(comm_t *comm) {
    must(xcoll_comm_free(comm));
    must(xcoll_finalize());
}
static int add_doubles(const void *in, void *inout, size_t count, xcoll_dtype_t type, void *context) {
    (void)type;
    (void)context;
    for (size_t i = 0; i < count; ++i) {
        ((double *)inout)[i] += ((const double *)in)[i];
    }
    return 0;
}
static op_t own_operator(void) {
    op_t op;
    must(xcoll_op_create(add_doubles, NULL, NULL, "sum of doubles", 0, &op));
    return op;
}
static type_t vector_of(count_t blocks, count_t stride) {
    type_t type;
    must(xcoll_type_vector(blocks, 1, (ptrdiff_t)stride, FLOAT64, &type));
    return type;
}
static type_t indexed_of(count_t n, const count_t counts[], const place_t places[]) {
    type_t type;
    must(xcoll_type_indexed(n, counts, places, FLOAT32, &type));
    return type;
}
#define type_free(type) xcoll_type_free(type)
#define barrier(comm) xcoll_barrier(comm)
#define bcast(data, n, type, comm) xcoll_bcast(data, n, type, 0, comm)
#define allreduce(data, n, type, op, comm) xcoll_allreduce(XCOLL_IN_PLACE, data, n, type, op, comm)
#define send(data, n, type, to, tag, comm) xcoll_send(data, n, type, to, tag, comm)
#define recv(data, n, type, from, tag, comm) xcoll_recv(data, n, type, from, tag, comm)
#define isend(data, n, type, to, tag, comm, request) xcoll_isend(data, n, type, to, tag, comm, request)
#define irecv(data, n, type, from, tag, comm, request) xcoll_irecv(data, n, type, from, tag, comm, request)
#define waitall(n, requests) xcoll_waitall(n, requests)
#define dup(comm, made) xcoll_comm_dup(comm, made)
#define split(comm, color, made) xcoll_comm_split(comm, color, 0, made)
#define comm_free(comm) xcoll_comm_free(comm)
#define group_begin() xcoll_group_start()
#define group_end() xcoll_group_end()
#endif

#endif

#include "shape.h"

static size_t uneven_before(size_t count, int part) {
    size_t sum = 0;
    for (int p = 0; p < part; p++) {
        sum += uneven(count, p);
    }
    return sum;
}

int shape_partner(const struct shape *shape) {
    const int partner = shape->rank % 2 == 0 ? shape->rank + 1 : shape->rank - 1;
    return partner < shape->size ? partner : -1;
}

static int sends_to_partner(const struct shape *shape) {
    return shape_partner(shape) >= 0 && shape->rank % 2 == (shape->op == OP_SEND ? 0 : 1);
}

size_t shape_sent(const struct shape *shape) {
    const size_t size = (size_t)shape->size, count = shape->count;
    const int is_root = shape->rank == shape->root;
    size_t sum = 0;
    switch (shape->op) {
    case OP_BARRIER:
        return 0;
    case OP_BCAST:
        return is_root ? count : 0;
    case OP_SCATTER:
        return is_root ? size * count : 0;
    case OP_SCATTERV:
        return is_root ? uneven_before(count, shape->size) : 0;
    case OP_REDUCE_SCATTERV:
        return uneven_before(count, shape->size);
    case OP_HALO:
        return 2 * count;
    case OP_PINGPONG:
        return shape_partner(shape) >= 0 ? count : 0;
    case OP_SEND:
    case OP_RECV:
        return sends_to_partner(shape) ? count : 0;
    case OP_REDUCE_SCATTER:
    case OP_ALLTOALL:
        return size * count;
    case OP_ALLGATHERV:
    case OP_GATHERV:
        return uneven(count, shape->rank);
    case OP_ALLTOALLV:
        for (int p = 0; p < shape->size; p++) {
            sum += uneven(count, shape->rank + p);
        }
        return sum;
    case OP_GROUP:
    case OP_GROUP_ALLREDUCE:
        return group_calls * count;
    default:
        return count;
    }
}

enum in_place shape_in_place(const struct shape *shape, size_t *at) {
    const int is_root = shape->rank == shape->root;
    *at = 0;
    switch (shape->op) {
    case OP_ALLREDUCE:
    case OP_REDUCE_SCATTER:
    case OP_REDUCE_SCATTERV:
    case OP_SCAN:
    case OP_EXSCAN:
    case OP_ALLTOALL:
    case OP_ALLTOALLV:
        return INPUT_IN_RESULT;
    case OP_REDUCE:
        return is_root ? INPUT_IN_RESULT : NOT_IN_PLACE_HERE;
    case OP_ALLGATHER:
    case OP_GATHER:
        *at = (size_t)shape->rank * shape->count;
        return shape->op == OP_ALLGATHER || is_root ? INPUT_IN_RESULT : NOT_IN_PLACE_HERE;
    case OP_ALLGATHERV:
    case OP_GATHERV:
        *at = uneven_before(shape->count, shape->rank);
        return shape->op == OP_ALLGATHERV || is_root ? INPUT_IN_RESULT : NOT_IN_PLACE_HERE;
    case OP_SCATTER:
    case OP_SCATTERV:
        return is_root ? RESULT_IN_INPUT : NOT_IN_PLACE_HERE;
    default:
        return NEVER_IN_PLACE;
    }
}

int shape_most_spans(const struct shape *shape) {
    const int from_neighbours = 2;
    if (shape->op == OP_GROUP) {
        return group_calls * shape->size;
    }
    return shape->size < from_neighbours ? from_neighbours : shape->size;
}

/* A block of every rank, one behind the other. */
static int from_everyone(const struct shape *shape, size_t from, struct span *spans) {
    for (int p = 0; p < shape->size; p++) {
        spans[p] = (struct span){(size_t)p * shape->count, from, shape->count, p, p + 1};
    }
    return shape->size;
}

static int in_uneven_parts(const struct shape *shape, struct span *spans) {
    size_t at = 0;
    for (int p = 0; p < shape->size; p++) {
        size_t from = 0;
        for (int q = 0; shape->op == OP_ALLTOALLV && q < shape->rank; q++) {
            from += uneven(shape->count, p + q);
        }
        const size_t count = uneven(shape->count, shape->op == OP_ALLTOALLV ? p + shape->rank : p);
        spans[p] = (struct span){at, from, count, p, p + 1};
        at += count;
    }
    return shape->size;
}

static int of_group(const struct shape *shape, struct span *spans) {
    int found = 0;
    for (int k = 0; k < group_calls; k++) {
        const size_t block = (size_t)k * shape->count;
        for (int p = 0; p < shape->size; p++) {
            spans[found++] =
                (struct span){block * (size_t)shape->size + (size_t)p * shape->count, block, shape->count, p, p + 1};
        }
    }
    return found;
}

/* Sums over several ranks. */
static int of_reduction(const struct shape *shape, struct span *spans) {
    const size_t count = shape->count;
    const int rank = shape->rank, everyone = shape->size;
    switch (shape->op) {
    case OP_REDUCE_SCATTER:
        spans[0] = (struct span){0, (size_t)rank * count, count, 0, everyone};
        return 1;
    case OP_REDUCE_SCATTERV:
        spans[0] = (struct span){0, uneven_before(count, rank), uneven(count, rank), 0, everyone};
        return 1;
    case OP_SCAN:
        spans[0] = (struct span){0, 0, count, 0, rank + 1};
        return 1;
    case OP_EXSCAN:
        spans[0] = (struct span){0, 0, count, 0, rank};
        return rank > 0;
    case OP_GROUP_ALLREDUCE:
        spans[0] = (struct span){0, 0, group_calls * count, 0, everyone};
        return 1;
    default:
        spans[0] = (struct span){0, 0, count, 0, everyone};
        return shape->op == OP_ALLREDUCE || rank == shape->root;
    }
}

/* A block of the root, or of whoever sends to this rank. */
static int from_one(const struct shape *shape, struct span *spans) {
    const size_t count = shape->count;
    const int rank = shape->rank, root = shape->root, partner = shape_partner(shape);
    const int before = (rank + shape->size - 1) % shape->size, next = (rank + 1) % shape->size;
    switch (shape->op) {
    case OP_BCAST:
        spans[0] = (struct span){0, 0, count, root, root + 1};
        return rank != root;
    case OP_SCATTER:
        spans[0] = (struct span){0, (size_t)rank * count, count, root, root + 1};
        return 1;
    case OP_SCATTERV:
        spans[0] = (struct span){0, uneven_before(count, rank), uneven(count, rank), root, root + 1};
        return 1;
    case OP_SENDRECV:
        spans[0] = (struct span){0, 0, count, before, before + 1};
        return 1;
    case OP_HALO:
        spans[0] = (struct span){0, 0, count, before, before + 1};
        spans[1] = (struct span){count, count, count, next, next + 1};
        return 2;
    default:
        spans[0] = (struct span){0, 0, count, partner, partner + 1};
        return partner >= 0 && (shape->op == OP_PINGPONG || !sends_to_partner(shape));
    }
}

int shape_spans(const struct shape *shape, struct span *spans) {
    const int is_root = shape->rank == shape->root;
    switch (shape->op) {
    case OP_BARRIER:
        return 0;
    case OP_GATHER:
        return is_root ? from_everyone(shape, 0, spans) : 0;
    case OP_GATHERV:
        return is_root ? in_uneven_parts(shape, spans) : 0;
    case OP_ALLGATHER:
        return from_everyone(shape, 0, spans);
    case OP_ALLTOALL:
        return from_everyone(shape, (size_t)shape->rank * shape->count, spans);
    case OP_ALLGATHERV:
    case OP_ALLTOALLV:
        return in_uneven_parts(shape, spans);
    case OP_GROUP:
        return of_group(shape, spans);
    case OP_ALLREDUCE:
    case OP_REDUCE:
    case OP_REDUCE_SCATTER:
    case OP_REDUCE_SCATTERV:
    case OP_SCAN:
    case OP_EXSCAN:
    case OP_GROUP_ALLREDUCE:
        return of_reduction(shape, spans);
    default:
        return from_one(shape, spans);
    }
}

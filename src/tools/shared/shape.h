/* What each operation moves where, in elements: this one description says what the ranks write, what they must find,
 * and the counts of the calls. Shared by the tools that measure and bench/, which is plain C. */
#ifndef XCOLL_TOOLS_SHAPE_H
#define XCOLL_TOOLS_SHAPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bench/harness/jobs.py has those up to OP_GROUP_ALLREDUCE in the same order. */
enum op {
    OP_BARRIER,
    OP_BCAST,
    OP_ALLREDUCE,
    OP_REDUCE,
    OP_REDUCE_SCATTER,
    OP_ALLGATHER,
    OP_ALLTOALL,
    OP_GATHER,
    OP_SCATTER,
    OP_ALLGATHERV,
    OP_ALLTOALLV,
    OP_SCAN,
    OP_EXSCAN,
    OP_GROUP, /* group_calls all-gathers that are known together */
    OP_REDUCE_SCATTERV,
    OP_GATHERV,
    OP_SCATTERV,
    OP_SENDRECV,        /* to the next rank, from the one before */
    OP_PINGPONG,        /* even ranks send to the odd ones behind them, who answer when it has come */
    OP_HALO,            /* a block to each neighbour in a ring, and one from each */
    OP_GROUP_ALLREDUCE, /* group_calls allreduces that are known together */
    OP_SEND,            /* even ranks to the odd ones behind them */
    OP_RECV             /* and back */
};

enum { group_calls = 64 };

struct shape {
    enum op op;
    size_t
        count; /* of the whole vector; of one block where there are blocks: the mean block of those in uneven parts */
    int rank, size, root;
};

/* Elements [at, at + count) of what is received are the sum over the ranks first .. end - 1 of elements
 * [from, from + count) of what each of them sends. */
struct span {
    size_t at, from, count;
    int first, end;
};

/* With whom this rank exchanges messages by OP_PINGPONG, OP_SEND and OP_RECV; -1: nobody, being the last of an odd
 * number. */
int shape_partner(const struct shape *shape);
/* How many elements this rank gives, lying at the begin of its buffer. */
size_t shape_sent(const struct shape *shape);
/* Fills in what this rank receives; returns how many spans that is, at most shape_most_spans(). */
int shape_spans(const struct shape *shape, struct span *spans);
int shape_most_spans(const struct shape *shape);

/* Where a call in place has its one buffer on this rank. */
enum in_place {
    NEVER_IN_PLACE, /* the operation has no such call */
    NOT_IN_PLACE_HERE,
    INPUT_IN_RESULT, /* at element `at` */
    RESULT_IN_INPUT
};
enum in_place shape_in_place(const struct shape *shape, size_t *at);

/* Uneven parts: one and a half times and half of `count` in turn. */
static inline size_t uneven(size_t count, int part) {
    return part % 2 == 0 ? count + count / 2 : count - count / 2;
}

#ifdef __cplusplus
}
#endif

#endif

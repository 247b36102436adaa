/* What each operation moves where, in elements: this one description says what the ranks write, what they must find,
 * and the counts of the libraries' calls. */
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include "contender.h"

enum { group_calls = 64 };

struct shape {
    enum op op;
    size_t
        count; /* of the whole vector; of one block where there are blocks: the mean block of allgatherv, alltoallv */
    int rank, size, root;
};

/* Elements [at, at + count) of what is received are the sum over the ranks first .. end - 1 of elements
 * [from, from + count) of what each of them sends. */
struct span {
    size_t at, from, count;
    int first, end;
};

/* How many elements this rank gives, lying at the begin of its buffer. */
size_t shape_sent(const struct shape *shape);
/* Fills in what this rank receives; returns how many spans that is, at most shape_most_spans(). */
int shape_spans(const struct shape *shape, struct span *spans);
int shape_most_spans(const struct shape *shape);

/* Uneven parts: one and a half times and half of `count` in turn. */
static inline size_t uneven(size_t count, int part) {
    return part % 2 == 0 ? count + count / 2 : count - count / 2;
}

#endif

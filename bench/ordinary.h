/* What contenders share that have one way of each operation and take buffers from anywhere. */
#ifndef BENCH_ORDINARY_H
#define BENCH_ORDINARY_H

#ifndef _GNU_SOURCE
#error define _GNU_SOURCE first: mmap needs it
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contender.h"

enum { most_ranks = 64, most_count_ranks = 1 << 20 };

/* Those that only MPI and xcoll are measured with. */
#define OPS_OF_MPI_ALONE                                                                                               \
    (1u << OP_REDUCE_SCATTERV | 1u << OP_GATHERV | 1u << OP_SCATTERV | 1u << OP_SENDRECV | 1u << OP_PINGPONG |         \
     1u << OP_HALO | 1u << OP_GROUP_ALLREDUCE)

/* One for each operation but those in `lacking`, bits 1u << OP_... */
static inline const struct variant *ordinary_variants(unsigned lacking) {
    static struct variant variants[compared_ops + 1];
    struct variant *next = variants;
    for (unsigned op = 0; op < compared_ops; op++) {
        const struct variant one = {"default", (enum op)op, MEMORY_PRIVATE, 0, SIZE_MAX, most_count_ranks};
        if ((lacking >> op & 1) == 0) {
            *next++ = one;
        }
    }
    return variants;
}

/* To whom a rank sends and from whom it receives by OP_SENDRECV, OP_HALO (the same the other way round) and
 * OP_PINGPONG; `nobody` is the library's name. */
struct peers {
    int to, from;
};
static inline struct peers peers_of(enum op op, int rank, int size, int nobody) {
    const struct shape shape = {op, 0, rank, size, 0};
    const int partner = shape_partner(&shape) < 0 ? nobody : shape_partner(&shape);
    const struct peers ring = {(rank + 1) % size, (rank + size - 1) % size}, pair = {partner, partner};
    return op == OP_PINGPONG ? pair : ring;
}

static inline void *private_memory(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* A number that xcollrun gives to its ranks. */
static inline int told_by_launcher(const char *name) {
    const char *text = getenv(name);
    if (text == NULL) {
        fprintf(stderr, "bench: %s is not set; start this with xcollrun\n", name);
        exit(1);
    }
    return atoi(text);
}

static inline void check_ranks(int ranks) {
    if (ranks > most_ranks) {
        fprintf(stderr, "bench: at most %d ranks, not %d\n", most_ranks, ranks);
        exit(1);
    }
}

#endif

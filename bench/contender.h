/* What every contender gives to the measuring core: one program per library, linked from core.c and one such file. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stddef.h>

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Those that libraries are compared in. */
enum { compared_ops = OP_GROUP_ALLREDUCE + 1 };
enum dtype { DTYPE_F32, DTYPE_BF16, DTYPE_COUNT };
enum memory { MEMORY_PRIVATE, MEMORY_SHARED, MEMORY_COUNT };

static inline size_t dtype_size(enum dtype dtype) {
    return dtype == DTYPE_F32 ? 4 : 2;
}

/* One way of doing one operation. A library has a single way for each; the bare loops have several. */
struct variant {
    const char *name;
    enum op op;
    enum memory memory; /* where the user's buffers lie */
    size_t min_bytes, max_bytes;
    int max_ranks;
};

/* What all calls of a batch have in common. The elements are laid out as shape.h says; reductions are sums. */
struct call {
    const struct variant *variant;
    enum dtype dtype;
    size_t count;
    const void *send; /* recv: in place */
    void *recv;       /* of a bcast: the buffer */
};

/* Called first. Returns this process's rank, so that it can be pinned before the library looks at the machine. */
int contender_begin(int argc, char **argv);
void contender_init(int *rank, int *size);
/* Ends with an entry whose name is NULL. */
const struct variant *contender_variants(void);
/* Zeroed, aligned to a page. Collective for MEMORY_SHARED. Never given back before the end. */
void *contender_alloc(enum memory memory, size_t bytes);
/* Before a batch: makes ready what a program makes ready once. Collective. */
void contender_prepare(const struct call *call);
/* What is measured. */
void contender_run(const struct call *call, int root);
void contender_finalize(void);

#ifdef __cplusplus
}
#endif

#endif

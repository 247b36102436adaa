/* For reference only: no copies at all, because everyone's buffers lie in memory that everyone maps. Rank r reduces
 * part r out of all inputs into all outputs. */
#include "bare.h"

static char *seen_from(struct bare *self, const void *mine, int peer) {
    return self->areas[peer].heap + ((const char *)mine - self->areas[self->rank].heap);
}

void bare_shared(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype) {
    const size_t size = (size_t)self->size, rank = (size_t)self->rank;
    const size_t first = bytes * rank / size / line_bytes * line_bytes;
    const size_t end = rank + 1 == size ? bytes : bytes * (rank + 1) / size / line_bytes * line_bytes;
    bare_barrier(self);
    char *result = recv + first;
    const char *sum = seen_from(self, send, 0) + first;
    for (int peer = 1; peer < self->size; peer++) {
        vec_sum(result, sum, seen_from(self, send, peer) + first, end - first, dtype, STORE_CACHED);
        sum = result;
    }
    for (int peer = 0; peer < self->size; peer++) {
        if (peer != self->rank) {
            vec_copy(seen_from(self, recv, peer) + first, result, end - first, STORE_CACHED);
        }
    }
    bare_barrier(self);
}

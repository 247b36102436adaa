/*
 * Memory of the library's own: sums that are not copied on their way, and a neighbour's numbers read in place.
 *
 *     cc -o 07_heap 07_heap.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 2 ./07_heap
 */
#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>

enum { count = 1000000 };

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

int main(void) {
    xcoll_comm_t world;
    int rank, size, wrong = 0;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));

    /* All ranks of this machine have this memory mapped. It lives until it is freed, whatever happens to `world`. */
    void *memory;
    check(xcoll_mem_alloc(world, count * sizeof(float), &memory));
    float *field = memory;
    for (int i = 0; i < count; ++i) {
        field[i] = (float)(rank + i % 100);
    }

    /* Every rank makes the same calls of xcoll_mem_alloc, so what is here is there, too. Whether a neighbour has
     * written its numbers, and whether it may overwrite them, the program says, with barriers. */
    void *there;
    const int right = (rank + 1) % size;
    check(xcoll_barrier(world));
    check(xcoll_mem_peer(world, field, right, &there));
    if (there != NULL) { /* not on another machine */
        const float border = *(const float *)there;
        printf("rank %d: the first number of rank %d is %g\n", rank, right, (double)border);
        wrong += border != (float)right;
    }
    check(xcoll_barrier(world));

    /* The same call as for any other memory, and the same bits. From 64 KiB on each rank adds up its part of the
     * numbers where they lie. */
    check(xcoll_allreduce(XCOLL_IN_PLACE, field, count, XCOLL_FLOAT32, XCOLL_SUM, world));
    for (int i = 0; i < count; ++i) {
        wrong += field[i] != (float)(size * (size - 1) / 2 + size * (i % 100));
    }
    if (wrong) {
        fprintf(stderr, "rank %d: %d numbers are wrong\n", rank, wrong);
    }

    check(xcoll_mem_free(world, memory));
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

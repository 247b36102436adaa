/*
 * Fetching a sharded model: each rank keeps a shard of every parameter, and before a step all ranks need all of them
 * whole. One persistent group of all-gathers brings every shard straight to its place: no flat buffer, no copies.
 *
 *     cc -o 04_zero_fetch 04_zero_fetch.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 4 ./04_zero_fetch
 */
/* ranks: 1 2 3 5 */
#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>

enum { parameters = 200, steps = 5 };

/* Nothing divides evenly: the last shards are shorter, and where a parameter has few elements they are empty. */
static const xcoll_dtype_t types[] = {XCOLL_FLOAT32, XCOLL_BFLOAT16, XCOLL_FLOAT8_E4M3, XCOLL_INT64};
static const size_t bytes[] = {4, 2, 1, 8};
static struct {
    unsigned char *data;
    size_t bytes, begin, end; /* of all, and of this rank's shard */
} model[parameters];

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

static unsigned char value(size_t byte, int parameter, int step) {
    return (unsigned char)(byte * 7 + (size_t)(parameter + 31 * step));
}

int main(void) {
    xcoll_comm_t world;
    xcoll_request_t fetch;
    int rank, size, wrong = 0;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));

    /* What is fetched is described once. Part k of the request is the k-th call, so each can be waited for. */
    size_t *counts = malloc((size_t)size * sizeof *counts);
    check(xcoll_group_start());
    for (int k = 0; k < parameters; ++k) {
        const size_t elements = k % 10 == 0 ? (size_t)k / 10 % 4 : (size_t)(k * k) % 9973 + 1;
        const size_t shard = (elements + (size_t)size - 1) / (size_t)size;
        for (size_t r = 0, left = elements; r < (size_t)size; left -= counts[r++]) {
            counts[r] = left < shard ? left : shard;
            model[k].begin = r == (size_t)rank ? (elements - left) * bytes[k % 4] : model[k].begin;
        }
        model[k].end = model[k].begin + counts[rank] * bytes[k % 4];
        model[k].bytes = elements * bytes[k % 4];
        model[k].data = malloc(model[k].bytes + 1);
        check(xcoll_allgatherv(XCOLL_IN_PLACE, counts[rank], model[k].data, counts, NULL, types[k % 4], world));
    }
    check(xcoll_group_end_init(&fetch));
    for (int step = 0; step < steps; ++step) {
        for (int k = 0; k < parameters; ++k) {
            for (size_t i = model[k].begin; i < model[k].end; ++i) { /* the optimizer writes this rank's shards */
                model[k].data[i] = value(i, k, step);
            }
        }
        check(xcoll_start(&fetch));
        for (int k = 0; k < parameters; ++k) { /* each layer runs when its parameter is there */
            check(xcoll_wait_part(fetch, (size_t)k));
            for (size_t i = 0; i < model[k].bytes; ++i) {
                wrong += model[k].data[i] != value(i, k, step);
            }
        }
        check(xcoll_wait(&fetch)); /* from here on the shards may be written again */
    }
    printf("rank %d: %d parameters fetched %d times, %d bytes wrong\n", rank, parameters, steps, wrong);
    free(counts);
    check(xcoll_request_free(&fetch));
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

/*
 * Work while numbers travel: the gradients of a layered model are averaged one layer after the other, each as soon as
 * it is computed, while the next one is being computed.
 *
 *     cc -o 02_overlap 02_overlap.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 2 ./02_overlap
 */
#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>

enum { layers = 6, count = 100000 };

static float gradient[layers][count];

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* Stands for the work of a program: fills in one layer, and every few thousand elements lets the operations that are
 * under way move on. Without such calls they would wait for the next call of the library that waits or tests. */
static void compute(int layer, int rank, xcoll_request_t *earlier) {
    for (int i = 0; i < count; ++i) {
        gradient[layer][i] = (float)(layer + i % 10 + 2 * rank);
        if (earlier && i % 10000 == 0) {
            int done;
            check(xcoll_test(earlier, &done));
        }
    }
}

int main(void) {
    xcoll_comm_t world;
    int rank, size;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));

    /* From here on a layer belongs to the library until its request has been waited for. */
    xcoll_request_t requests[layers];
    for (int layer = 0; layer < layers; ++layer) {
        compute(layer, rank, layer > 0 ? &requests[layer - 1] : NULL);
        check(xcoll_iallreduce(XCOLL_IN_PLACE, gradient[layer], count, XCOLL_FLOAT32, XCOLL_AVG, world,
                               &requests[layer]));
    }
    check(xcoll_waitall(layers, requests));

    /* The average of 2 * rank over all ranks is size - 1. All numbers here are small integers, so sums are exact. */
    int wrong = 0;
    if (rank == 0) {
        printf("%8s %12s %12s\n", "layer", "average", "expected");
    }
    for (int layer = 0; layer < layers; ++layer) {
        for (int i = 0; i < count; ++i) {
            wrong += gradient[layer][i] != (float)(layer + i % 10 + size - 1);
        }
        if (rank == 0) {
            printf("%8d %12g %12d\n", layer, (double)gradient[layer][0], layer + size - 1);
        }
    }
    if (wrong) {
        fprintf(stderr, "rank %d: %d elements are wrong\n", rank, wrong);
    }

    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

/*
 * Tensor-parallel decoding: the ranks of a group hold a part of every layer's weights each, and add up their partial
 * activations twice per layer: small bfloat16 allreduces, in which only the latency counts.
 *
 *     cc -o 03_tp_decode 03_tp_decode.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 4 ./03_tp_decode
 */
/* ranks: 1 2 3 5 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xcoll.h>

enum { group_size = 2, hidden = 4096, most_tokens = 8, steps = 300 };

static uint16_t activations[most_tokens * hidden];

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* A bfloat16 is the upper half of a float. Integers up to 256 are exact. */
static uint16_t bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

int main(void) {
    xcoll_comm_t world, group;
    int rank, size, wrong = 0;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));

    check(xcoll_comm_split(world, rank / group_size, rank, &group)); /* 0 and 1, 2 and 3, ...; the last may be alone */
    check(xcoll_comm_size(group, &size));
    if (rank == 0) {
        printf("%8s %10s %10s %10s %10s\n", "bytes", "median us", "90 %", "99 %", "most");
    }
    for (size_t tokens = 1; tokens <= most_tokens; tokens *= 2) {
        double times[steps];
        for (int step = 0; step < steps; ++step) {
            for (size_t i = 0; i < tokens * hidden; ++i) { /* stands for the matrix product of this rank */
                activations[i] = bfloat16((float)(i % 7 + (size_t)(step % 11 + rank % group_size)));
            }
            check(xcoll_barrier(group)); /* or the time would contain how much earlier this rank came */
            const double begin = microseconds();
            check(xcoll_allreduce(XCOLL_IN_PLACE, activations, tokens * hidden, XCOLL_BFLOAT16, XCOLL_SUM, group));
            times[step] = microseconds() - begin;
            for (size_t i = 0; i < tokens * hidden; ++i) {
                wrong += activations[i] != bfloat16((float)(size * ((int)i % 7 + step % 11) + (size == 2)));
            }
        }
        qsort(times, steps, sizeof *times, ascending);
        if (rank == 0) {
            printf("%8zu %10.2f %10.2f %10.2f %10.2f\n", 2 * tokens * hidden, times[steps / 2], times[steps * 9 / 10],
                   times[steps * 99 / 100], times[steps - 1]);
        }
    }

    check(xcoll_comm_free(&group));
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

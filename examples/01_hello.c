/*
 * The first program: every rank tells all ranks about itself, and all add up a few numbers.
 *
 *     cc -o 01_hello 01_hello.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 4 ./01_hello
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xcoll.h>

/* All error handling that a small program needs: say what went wrong and end. xcollrun then ends the other ranks. */
static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

int main(void) {
    xcoll_comm_t world;
    int rank, size;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));

    /* A table with a row for each rank. Every rank fills in its own row and leaves the others zero, so the sum over
     * all ranks is the whole table, and every rank has it. */
    struct row {
        int64_t process, number;
    } *table = calloc((size_t)size, sizeof *table);
    if (!table) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    table[rank].process = getpid();
    table[rank].number = (rank + 1) * (rank + 1);
    check(xcoll_allreduce(XCOLL_IN_PLACE, table, 2 * (size_t)size, XCOLL_INT64, XCOLL_SUM, world));

    /* The send buffer is only read, so the two calls may share it. */
    const double mine = (double)table[rank].number;
    double sum, largest;
    check(xcoll_allreduce(&mine, &sum, 1, XCOLL_FLOAT64, XCOLL_SUM, world));
    check(xcoll_allreduce(&mine, &largest, 1, XCOLL_FLOAT64, XCOLL_MAX, world));

    if (rank == 0) {
        int major, minor, patch;
        check(xcoll_version(&major, &minor, &patch));
        printf("hello from xcoll %d.%d.%d\n\n", major, minor, patch);
        printf("%8s %10s %10s\n", "rank", "process", "number");
        for (int i = 0; i < size; ++i) {
            printf("%8d %10" PRId64 " %10" PRId64 "\n", i, table[i].process, table[i].number);
        }
        printf("%8s %10s %10g\n%8s %10s %10g\n", "sum", "", sum, "largest", "", largest);
    }

    free(table);
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return 0;
}

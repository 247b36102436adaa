/*
 * Attention in groups of ranks, all else on all ranks. A group attends to tokens of its own, and each of its ranks gets
 * a partial sum for all of them; next every rank needs the finished rows of all tokens. One plan of two stages does it,
 * a reduce-scatter in the group and an all-gather over all ranks, without padding and without a buffer between them.
 *
 *     cc -o 06_dp_attention 06_dp_attention.c $(pkg-config --cflags --libs xcoll)
 *     xcollrun -n 4 ./06_dp_attention
 */
/* ranks: 1 2 3 5 */
#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>

enum { group_size = 2, most_ranks = 64, most_tokens = 9, hidden = 96 };

static float partial[most_tokens * hidden], rows[most_ranks * most_tokens * hidden];

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* Groups have different numbers of tokens, and every other one is idle. */
static size_t tokens_of(int rank) {
    const size_t group = (size_t)rank / group_size;
    return group % 2 == 0 ? most_tokens - group % 5 : 0;
}

int main(void) {
    xcoll_comm_t world, group;
    xcoll_request_t plan;
    int rank, size, place, members, wrong = 0;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));
    check(xcoll_comm_split(world, rank / group_size, rank, &group));
    check(xcoll_comm_rank(group, &place));
    check(xcoll_comm_size(group, &members));

    /* The rows of a group's tokens are dealt out to its ranks, and so they lie in the result: rank by rank. */
    size_t counts[most_ranks], begin[most_ranks + 1] = {0};
    for (size_t r = 0; r < (size_t)size; ++r) {
        const size_t first = r / group_size * group_size;
        const size_t n = first + group_size <= (size_t)size ? group_size : 1, tokens = tokens_of((int)r);
        counts[r] = hidden * (tokens / n + (r - first < tokens % n));
        begin[r + 1] = begin[r] + counts[r];
    }
    check(xcoll_group_start());
    check(xcoll_reduce_scatterv(partial, rows + begin[rank], &counts[rank - place], XCOLL_FLOAT32, XCOLL_SUM, group));
    check(xcoll_group_then()); /* what the first stage leaves here is what the second one sends */
    check(xcoll_allgatherv(XCOLL_IN_PLACE, counts[rank], rows, counts, NULL, XCOLL_FLOAT32, world));
    check(xcoll_group_end_init(&plan));

    for (int step = 0; step < 3; ++step) {
        for (size_t i = 0; i < tokens_of(rank) * hidden; ++i) {
            partial[i] = (float)((int)(i % 50) * (place + 1) + step + rank);
        }
        check(xcoll_start(&plan));
        check(xcoll_wait(&plan));
        for (int r = 0; r < size; ++r) {
            const int first = r / group_size * group_size, n = first + group_size <= size ? group_size : 1;
            for (size_t i = begin[r]; i < begin[r + 1]; ++i) { /* the i - begin[first]-th number of that group */
                const int number = (int)((i - begin[first]) % 50);
                wrong += rows[i] != (float)(n == 2 ? 3 * number + 2 * step + 2 * first + 1 : number + step + first);
            }
        }
    }
    printf("rank %d of %d: %zu tokens in my group, %zu in all, %d numbers wrong\n", rank, size, tokens_of(rank),
           begin[size] / hidden, wrong);

    check(xcoll_request_free(&plan));
    check(xcoll_comm_free(&group));
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

/*
 * Sequence-parallel attention: ranks hold some positions of all heads, and attention wants all positions of some heads.
 * Types tell where the parts lie on either side, so nothing is permuted. Nothing divides evenly, and ranks whose
 * queries share a head of k and v get a copy each.
 *
 *     cc -o 05_ulysses 05_ulysses.c $(pkg-config --cflags --libs xcoll) && xcollrun -n 4 ./05_ulysses
 */
/* ranks: 1 2 3 5 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcoll.h>

enum { q = 0, k, v, tensors, length = 37, depth = 16, most_ranks = 64 };

static const size_t heads[tensors] = {6, 2, 2};
static size_t position[most_ranks + 1], first[tensors][most_ranks], end[tensors][most_ranks]; /* heads of each rank */
static float by_position[tensors][length * 6 * depth], by_head[tensors][length * 6 * depth];
static xcoll_comm_t world;
static int rank, size, wrong;

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* To the ranks of the heads, or back to those of the positions. */
static void exchange(int t, int back) {
    const size_t rows = position[rank + 1] - position[rank], width = (end[t][rank] - first[t][rank]) * depth;
    size_t counts[2][most_ranks], at[2][most_ranks];
    xcoll_dtype_t types[2][most_ranks];
    for (int r = 0; r < size; ++r) {
        const size_t their_width = (end[t][r] - first[t][r]) * depth; /* of each row that is here */
        check(xcoll_type_vector(rows, their_width, (ptrdiff_t)(heads[t] * depth), XCOLL_FLOAT32, &types[0][r]));
        counts[0][r] = 1;
        at[0][r] = first[t][r] * depth * sizeof(float);
        types[1][r] = XCOLL_FLOAT32; /* where the heads are, whole rows lie together */
        counts[1][r] = (position[r + 1] - position[r]) * width;
        at[1][r] = position[r] * width * sizeof(float);
    }
    float *const data[] = {by_position[t], by_head[t]};
    check(xcoll_alltoallw(data[back], counts[back], at[back], types[back], data[!back], counts[!back], at[!back],
                          types[!back], world));
    for (int r = 0; r < size; ++r) {
        check(xcoll_type_free(&types[0][r])); /* lives on in the call */
    }
}

/* Writes or checks what is here: every number is position, head, depth and tensor. */
static void visit(int t, int there, int write) {
    float *number = there ? by_head[t] : by_position[t];
    const size_t begin = there ? first[t][rank] : 0, row = ((there ? end[t][rank] : heads[t]) - begin) * depth;
    const size_t from = there ? 0 : position[rank] * row, to = position[there ? size : rank + 1] * row;
    for (size_t i = from; i < to; ++i, ++number) {
        const float value = (float)((i / row * 96 + begin * depth + i % row) * tensors + (size_t)t);
        *number = write ? value : *number;
        wrong += *number != value;
    }
}

int main(void) {
    xcoll_request_t inputs;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));
    for (size_t r = 0, n = (size_t)size; r < n; ++r) {
        position[r + 1] = length * (r + 1) / n;
        for (int t = q; t < tensors; ++t) { /* a rank takes the shared heads that its queries look at */
            first[t][r] = heads[q] * r / n * heads[t] / heads[q];
            end[t][r] = (heads[q] * (r + 1) / n * heads[t] + heads[q] - 1) / heads[q];
        }
    }
    check(xcoll_group_start());
    for (int t = q; t < tensors; ++t) {
        visit(t, 0, 1);
        exchange(t, 0);
    }
    check(xcoll_group_iend(&inputs));
    for (int t = q; t < tensors; ++t) {
        check(xcoll_wait_part(inputs, (size_t)t)); /* attention begins with q and k, and needs v last */
        visit(t, 1, 0);
    }
    check(xcoll_wait(&inputs));
    memset(by_position[q], 0, sizeof by_position[q]);
    exchange(q, 1); /* the output goes back the same way; here it is q itself */
    visit(q, 0, 0);
    printf("rank %d of %d: %d numbers wrong\n", rank, size, wrong);
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

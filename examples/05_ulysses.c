/*
 * Sequence-parallel attention: ranks hold some positions of all heads, and attention wants all positions of some heads,
 * head by head. All goes straight to its place, nothing divides evenly, and shared heads of k and v come in copies.
 *
 *     cc -o 05_ulysses 05_ulysses.c $(pkg-config --cflags --libs xcoll) && xcollrun -n 4 ./05_ulysses
 */
/* ranks: 1 2 3 5 */
#include <stdio.h>
#include <stdlib.h>
#include <xcoll.h>

enum { q = 0, k, v, tensors, length = 37, depth = 16, most_heads = 6, most_ranks = 64 };
static const int64_t heads[tensors] = {most_heads, 2, 2};
static int64_t first[tensors][most_ranks], count[tensors][most_ranks]; /* heads of each rank */
static float by_position[tensors][length * most_heads * depth], by_head[tensors][length * most_heads * depth];
static xcoll_comm_t world;
static int rank, size, wrong;

static void check(xcoll_result_t result) {
    if (result != XCOLL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", xcoll_error_name(result), xcoll_last_error());
        exit(1);
    }
}

/* To the ranks of the heads, or back to those of the positions, which are split as evenly as possible. */
static void exchange(int t, int back) {
    const int64_t shape[] = {length, heads[t], depth}, heads_first[] = {depth, length * depth, 1};
    xcoll_tensor_t tensor = {.struct_size = sizeof tensor, .dtype = XCOLL_FLOAT32, .ndim = 3, .shape = shape};
    *(back ? &tensor.from_first : &tensor.to_first) = first[t];
    *(back ? &tensor.from_count : &tensor.to_count) = count[t];
    *(back ? &tensor.send_strides : &tensor.recv_strides) = heads_first;
    float *const from = back ? by_head[t] : by_position[t], *const to = back ? by_position[t] : by_head[t];
    check(xcoll_reshard(from, to, &tensor, back, !back, world));
}

/* Writes or checks what is here: every number is position, head, depth and tensor. */
static void visit(int t, int there, int write) {
    const int64_t share = length / size, more = length % size, mine = share + (rank < more);
    const int64_t rows = there ? length : mine, begin = there ? 0 : rank * share + (rank < more ? rank : more);
    const int64_t here = there ? count[t][rank] : heads[t], first_here = there ? first[t][rank] : 0;
    float *number = there ? by_head[t] : by_position[t];
    for (int64_t i = 0; i < rows * here * depth; ++i) {
        const int64_t row = i / depth, position = begin + (there ? row % rows : row / here);
        const int64_t head = first_here + (there ? row / rows : row % here);
        const float value = (float)(((position * most_heads + head) * depth + i % depth) * tensors + t);
        number[i] = write ? value : number[i];
        wrong += number[i] != value;
    }
}

int main(void) {
    xcoll_request_t inputs;
    check(xcoll_init(&world));
    check(xcoll_comm_rank(world, &rank));
    check(xcoll_comm_size(world, &size));
    for (int i = 0; i < tensors * size; ++i) { /* a rank takes the shared heads that its queries look at */
        const int t = i / size, r = i % size;
        first[t][r] = heads[q] * r / size * heads[t] / heads[q];
        count[t][r] = (heads[q] * (r + 1) / size * heads[t] + heads[q] - 1) / heads[q] - first[t][r];
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
    exchange(q, 1); /* the output, here q itself, goes back the same way */
    visit(q, 0, 0);
    printf("rank %d of %d: %d numbers wrong\n", rank, size, wrong);
    check(xcoll_comm_free(&world));
    check(xcoll_finalize());
    return wrong != 0;
}

/* Attention in groups of two ranks, all else on all ranks: partial sums of each group's tokens become finished rows of
 * all tokens on every rank. Then logits, of which each rank has some columns, are gathered along the last dimension. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { group_size = 2, most_groups = most_ranks / group_size };

static xcoll_comm_t group;
static int my_group, groups;
static size_t hidden, tokens[most_groups], all_tokens, most_tokens, counts[most_ranks], my_begin, group_begin;
static float *partial, *rows, *own;
static xcoll_request_t plan;

static int members_of(int g) {
    return ranks - g * group_size < group_size ? ranks - g * group_size : group_size;
}

/* Prefill: every third group is idle, the others differ. */
static void lay_out(size_t scale) {
    groups = (ranks + group_size - 1) / group_size;
    all_tokens = most_tokens = my_begin = 0;
    for (int g = 0; g < groups; g++) {
        tokens[g] = g % 3 == 1 ? 0 : scale * (size_t)(g % 3 + 3) + 1;
        most_tokens = tokens[g] > most_tokens ? tokens[g] : most_tokens;
        group_begin = g == my_group ? all_tokens * hidden : group_begin;
        all_tokens += tokens[g];
    }
    for (int r = 0; r < ranks; r++) {
        const size_t n = (size_t)members_of(r / group_size), t = tokens[r / group_size];
        counts[r] = hidden * (t / n + ((size_t)(r % group_size) < t % n));
        my_begin += r < rank ? counts[r] : 0;
    }
    partial = room(most_tokens * hidden * sizeof *partial);
    rows = room(all_tokens * hidden * sizeof *rows);
    own = room((size_t)groups * most_tokens * hidden * sizeof *own);
    must(xcoll_request_free(&plan));
    must(xcoll_group_start());
    must(xcoll_reduce_scatterv(partial, rows + my_begin, counts + my_group * group_size, XCOLL_FLOAT32, XCOLL_SUM,
                               group));
    must(xcoll_group_then());
    must(xcoll_allgatherv(XCOLL_IN_PLACE, counts[rank], rows, counts, NULL, XCOLL_FLOAT32, world));
    must(xcoll_group_end_init(&plan));
}

static void two_stages(void) {
    must(xcoll_start(&plan));
    must(xcoll_wait(&plan));
}

/* Each rank's partial sums at their place among zeros, added up over all ranks. */
static void zero_filled(void) {
    memset(rows, 0, all_tokens * hidden * sizeof *rows);
    memcpy(rows + group_begin, partial, tokens[my_group] * hidden * sizeof *rows);
    must(xcoll_allreduce(XCOLL_IN_PLACE, rows, all_tokens * hidden, XCOLL_FLOAT32, XCOLL_SUM, world));
}

/* Added up within the group, then every rank's rows are padded to the longest, and gathered. */
static void padded(void) {
    const size_t n = group_size, part = (most_tokens + n - 1) / n * hidden, mine = tokens[my_group] * hidden;
    must(xcoll_allreduce(XCOLL_IN_PLACE, partial, mine, XCOLL_FLOAT32, XCOLL_SUM, group));
    size_t from = 0;
    for (int r = my_group * group_size; r < rank; r++) {
        from += counts[r];
    }
    memcpy(own + (size_t)rank * part, partial + from, counts[rank] * sizeof *own);
    must(xcoll_allgather(XCOLL_IN_PLACE, part, own, XCOLL_FLOAT32, world));
    for (size_t r = 0, to = 0; r < (size_t)ranks; to += counts[r++]) {
        memcpy(rows + to, own + r * part, counts[r] * sizeof *rows);
    }
}

static float value(size_t i, int from) {
    return (float)(i * 7 % 61 + (size_t)from);
}

static void produce(unsigned iteration) {
    const size_t mine = tokens[my_group] * hidden;
    if (iteration != checked) {
        write_all(partial, mine * sizeof *partial, iteration);
        return;
    }
    for (size_t i = 0; i < mine; i++) {
        partial[i] = value(i, rank);
    }
}

static uint64_t consume(void) {
    return read_all(rows, all_tokens * hidden * sizeof *rows);
}

static void spoil(void) {
    memset(rows, 0xff, all_tokens * hidden * sizeof *rows);
}

static size_t check(void) {
    size_t wrong = 0, at = 0;
    for (int g = 0; g < groups; g++) {
        for (size_t i = 0; i < tokens[g] * hidden; i++) {
            float sum = 0;
            for (int r = g * group_size; r < g * group_size + members_of(g); r++) {
                sum += value(i, r);
            }
            wrong += rows[at++] != sum;
        }
    }
    return wrong;
}

/* ------------------------------------------------------------------------------------------------------- logits */

static size_t vocabulary, column_counts[most_ranks], column_bytes[most_ranks], one[most_ranks];
static xcoll_dtype_t columns[most_ranks];
static float *columns_here, *logits, *pieces;

static void lay_out_logits(size_t width) {
    vocabulary = width;
    size_t begin = 0;
    for (int r = 0; r < ranks; r++) {
        column_counts[r] = vocabulary / (size_t)ranks + ((size_t)r < vocabulary % (size_t)ranks);
        column_bytes[r] = begin * sizeof *logits;
        one[r] = 1;
        begin += column_counts[r];
        must(xcoll_type_vector(all_tokens, column_counts[r], (ptrdiff_t)vocabulary, XCOLL_FLOAT32, &columns[r]));
    }
    columns_here = room(all_tokens * column_counts[rank] * sizeof *logits);
    logits = room(all_tokens * vocabulary * sizeof *logits);
    pieces = room(all_tokens * column_counts[0] * (size_t)ranks * sizeof *logits);
}

static void straight(void) {
    must(xcoll_allgatherw(columns_here, all_tokens * column_counts[rank], XCOLL_FLOAT32, logits, one, column_bytes,
                          columns, world));
}

static void gathered_and_transposed(void) {
    size_t sizes[most_ranks];
    for (int r = 0; r < ranks; r++) {
        sizes[r] = all_tokens * column_counts[r];
    }
    must(xcoll_allgatherv(columns_here, sizes[rank], pieces, sizes, NULL, XCOLL_FLOAT32, world));
    const float *from = pieces;
    for (int r = 0; r < ranks; r++) {
        for (size_t t = 0; t < all_tokens; t++, from += column_counts[r]) {
            memcpy((char *)(logits + t * vocabulary) + column_bytes[r], from, column_counts[r] * sizeof *from);
        }
    }
}

static void produce_logits(unsigned iteration) {
    const size_t mine = all_tokens * column_counts[rank];
    if (iteration != checked) {
        write_all(columns_here, mine * sizeof *columns_here, iteration);
        return;
    }
    for (size_t i = 0; i < mine; i++) {
        columns_here[i] = value(i, rank);
    }
}

static uint64_t consume_logits(void) {
    return read_all(logits, all_tokens * vocabulary * sizeof *logits);
}

static void spoil_logits(void) {
    memset(logits, 0xff, all_tokens * vocabulary * sizeof *logits);
}

static size_t check_logits(void) {
    size_t wrong = 0;
    for (int r = 0; r < ranks; r++) {
        for (size_t t = 0; t < all_tokens; t++) {
            for (size_t c = 0; c < column_counts[r]; c++) {
                wrong +=
                    logits[t * vocabulary + column_bytes[r] / sizeof *logits + c] != value(t * column_counts[r] + c, r);
            }
        }
    }
    return wrong;
}

int main(int argc, char **argv) {
    begin(argc, argv, "dp_attention: sums of groups of two, rows to all");
    must(xcoll_comm_split(world, rank / group_size, rank, &group));
    my_group = rank / group_size;
    hidden = 1024;
    char name[96];
    for (size_t scale = 2; scale <= 128; scale *= 8) {
        lay_out(scale);
        snprintf(name, sizeof name, "%zu tokens of %zu float32, %d groups", all_tokens, hidden, groups);
        const struct scene scene = {.name = name,
                                    .produce = produce,
                                    .consume = consume,
                                    .spoil = spoil,
                                    .check = check,
                                    .ways = {{"reduce-scatter, then all-gather", two_stages, 0},
                                             {"zero-filled allreduce", zero_filled, 0},
                                             {"allreduce, padding, all-gather", padded,
                                              (most_tokens + 1) / 2 * hidden * sizeof *own * (size_t)ranks}}};
        play(&scene);
    }
    for (size_t width = 1001; width <= 32001; width += 31000) {
        lay_out(4);
        lay_out_logits(width);
        snprintf(name, sizeof name, "logits: %zu tokens, %zu columns, gathered along the last dimension", all_tokens,
                 vocabulary);
        const struct scene scene = {
            .name = name,
            .produce = produce_logits,
            .consume = consume_logits,
            .spoil = spoil_logits,
            .check = check_logits,
            .ways = {{"straight into columns", straight, 0},
                     {"gather, then transpose", gathered_and_transposed, all_tokens * vocabulary * sizeof *logits}}};
        play(&scene);
        for (int r = 0; r < ranks; r++) {
            must(xcoll_type_free(&columns[r]));
        }
    }
    must(xcoll_request_free(&plan));
    must(xcoll_comm_free(&group));
    end();
    return 0;
}

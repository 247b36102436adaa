/* Sequence-parallel attention: q, k and v come split along the sequence and are wanted split along the heads, the
 * output goes the other way. Nothing divides evenly, and several ranks share heads of k and v (grouped queries). */
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { batch = 2, heads = 10, shared_heads = 3, depth = 128, q = 0, k, v, o, tensors };

typedef uint16_t number; /* a bfloat16 */

/* What one rank and one peer have of each other: blocks of `run` elements, `stride` from one to the next. */
struct piece {
    size_t at, blocks, run, stride;
};

struct tensor {
    size_t heads, first[most_ranks], count[most_ranks]; /* heads of each rank */
    number *by_sequence, *by_heads;
    size_t sequence_elements, head_elements;
    struct piece sequence_piece[most_ranks], head_piece[most_ranks];
    xcoll_dtype_t sequence_type[most_ranks], head_type[most_ranks];
};

static struct tensor all[tensors];
static size_t sequence, first_row[most_ranks], row_count[most_ranks];
static int heads_first; /* (batch, heads, sequence, depth) instead of (batch, sequence, heads, depth) */
static number *packed, *arrived;
static size_t packed_elements;
static xcoll_request_t inputs, output;

static xcoll_dtype_t type_of(const struct piece *piece) {
    xcoll_dtype_t type;
    must(xcoll_type_vector(piece->blocks, piece->run, (ptrdiff_t)piece->stride, XCOLL_BFLOAT16, &type));
    return type;
}

static void split(size_t n, size_t first[], size_t count[]) {
    for (size_t r = 0, at = 0; r < (size_t)ranks; at += count[r++]) {
        first[r] = at;
        count[r] = n / (size_t)ranks + (r < n % (size_t)ranks);
    }
}

static void lay_out_tensor(struct tensor *t) {
    const size_t rows = row_count[rank], mine = t->count[rank];
    t->sequence_elements = batch * rows * t->heads * depth;
    t->head_elements = batch * sequence * mine * depth;
    t->by_sequence = room(t->sequence_elements * sizeof(number));
    t->by_heads = room(t->head_elements * sizeof(number));
    for (int r = 0; r < ranks; r++) {
        const size_t h = t->count[r], s = row_count[r];
        t->sequence_piece[r] =
            heads_first ? (struct piece){t->first[r] * rows * depth, batch, h * rows * depth, t->heads * rows * depth}
                        : (struct piece){t->first[r] * depth, batch * rows, h * depth, t->heads * depth};
        t->head_piece[r] =
            heads_first ? (struct piece){first_row[r] * depth, batch * mine, s * depth, sequence * depth}
                        : (struct piece){first_row[r] * mine * depth, batch, s * mine * depth, sequence * mine * depth};
        t->sequence_type[r] = type_of(&t->sequence_piece[r]);
        t->head_type[r] = type_of(&t->head_piece[r]);
    }
}

static void lay_out(size_t length, int by_heads_first) {
    sequence = length;
    heads_first = by_heads_first;
    split(sequence, first_row, row_count);
    for (int i = 0; i < tensors; i++) {
        struct tensor *t = &all[i];
        t->heads = i == k || i == v ? shared_heads : heads;
        split(heads, t->first, t->count);
        for (int r = 0; r < ranks && t->heads == shared_heads; r++) { /* those that the rank's queries look at */
            const size_t last = (t->first[r] + t->count[r] - 1) * shared_heads / heads;
            t->first[r] = t->first[r] * shared_heads / heads;
            t->count[r] = t->count[r] > 0 ? last + 1 - t->first[r] : 0;
        }
        lay_out_tensor(t);
    }
    packed_elements = all[q].sequence_elements + all[q].head_elements;
    packed = room(packed_elements * sizeof(number));
    arrived = room(packed_elements * sizeof(number));
}

/* ----------------------------------------------------------------------------------------------------- the ways */

static void exchange(const struct tensor *t, int to_heads) {
    size_t ones[most_ranks], sequence_at[most_ranks], head_at[most_ranks];
    for (int r = 0; r < ranks; r++) {
        ones[r] = 1;
        sequence_at[r] = t->sequence_piece[r].at * sizeof(number);
        head_at[r] = t->head_piece[r].at * sizeof(number);
    }
    if (to_heads) {
        must(xcoll_alltoallw(t->by_sequence, ones, sequence_at, t->sequence_type, t->by_heads, ones, head_at,
                             t->head_type, world));
    } else {
        must(xcoll_alltoallw(t->by_heads, ones, head_at, t->head_type, t->by_sequence, ones, sequence_at,
                             t->sequence_type, world));
    }
}

static void describe(void) {
    must(xcoll_request_free(&inputs));
    must(xcoll_request_free(&output));
    must(xcoll_group_start());
    for (int i = q; i <= v; i++) {
        exchange(&all[i], 1);
    }
    must(xcoll_group_end_init(&inputs));
    must(xcoll_group_start());
    exchange(&all[o], 0);
    must(xcoll_group_end_init(&output));
}

static void straight(void) {
    must(xcoll_start(&inputs));
    for (size_t i = q; i <= v; i++) {
        must(xcoll_wait_part(inputs, i));
    }
    must(xcoll_wait(&inputs));
    must(xcoll_start(&output));
    must(xcoll_wait(&output));
}

static size_t pack(number *to, const number *from, const struct piece *piece) {
    for (size_t i = 0; i < piece->blocks; i++) {
        memcpy(to + i * piece->run, from + piece->at + i * piece->stride, piece->run * sizeof *to);
    }
    return piece->blocks * piece->run;
}

static size_t unpack(number *to, const number *from, const struct piece *piece) {
    for (size_t i = 0; i < piece->blocks; i++) {
        memcpy(to + piece->at + i * piece->stride, from + i * piece->run, piece->run * sizeof *to);
    }
    return piece->blocks * piece->run;
}

static void permute_and_exchange(const number *from, const struct piece out[], number *to, const struct piece in[]) {
    size_t sent[most_ranks], received[most_ranks], at = 0;
    for (int r = 0; r < ranks; r++) {
        at += sent[r] = pack(packed + at, from, &out[r]);
        received[r] = in[r].blocks * in[r].run;
    }
    must(xcoll_alltoallv(packed, sent, NULL, arrived, received, NULL, XCOLL_BFLOAT16, world));
    at = 0;
    for (int r = 0; r < ranks; r++) {
        at += unpack(to, arrived + at, &in[r]);
    }
}

static void permuted(void) {
    for (int i = q; i <= v; i++) {
        permute_and_exchange(all[i].by_sequence, all[i].sequence_piece, all[i].by_heads, all[i].head_piece);
    }
    permute_and_exchange(all[o].by_heads, all[o].head_piece, all[o].by_sequence, all[o].sequence_piece);
}

/* ------------------------------------------------------------------------------ what a program does around them */

/* Element d of head h and position s; the copies of a shared head agree. */
static number value(int tensor, size_t b, size_t s, size_t h, size_t d) {
    const size_t at = ((b * 4096 + s) * 64 + h) * depth + d;
    return (number)(value_at(at, (unsigned)tensor, 7) << 8 | value_at(at, (unsigned)tensor, 8));
}

static size_t place(size_t rows, size_t width, size_t b, size_t s, size_t h, size_t d) {
    return heads_first ? ((b * width + h) * rows + s) * depth + d : ((b * rows + s) * width + h) * depth + d;
}

/* Writes the values of one side, or counts those that are wrong. */
static size_t visit(int tensor, int by_heads, int write) {
    struct tensor *t = &all[tensor];
    number *data = by_heads ? t->by_heads : t->by_sequence;
    const size_t rows = by_heads ? sequence : row_count[rank], width = by_heads ? t->count[rank] : t->heads;
    const size_t first_s = by_heads ? 0 : first_row[rank], first_h = by_heads ? t->first[rank] : 0;
    size_t wrong = 0;
    for (size_t b = 0; b < batch; b++) {
        for (size_t s = 0; s < rows; s++) {
            for (size_t h = 0; h < width; h++) {
                for (size_t d = 0; d < depth; d++) {
                    number *at = &data[place(rows, width, b, s, h, d)];
                    const number expected = value(tensor, b, first_s + s, first_h + h, d);
                    *at = write ? expected : *at;
                    wrong += *at != expected;
                }
            }
        }
    }
    return wrong;
}

static void produce(unsigned iteration) {
    for (int i = 0; i < tensors; i++) {
        const struct tensor *t = &all[i];
        if (iteration == checked) {
            visit(i, i == o, 1);
        } else if (i == o) {
            write_all(t->by_heads, t->head_elements * sizeof(number), iteration);
        } else {
            write_all(t->by_sequence, t->sequence_elements * sizeof(number), iteration);
        }
    }
}

static uint64_t consume(void) {
    uint64_t seen = read_all(all[o].by_sequence, all[o].sequence_elements * sizeof(number));
    for (int i = q; i <= v; i++) {
        seen ^= read_all(all[i].by_heads, all[i].head_elements * sizeof(number));
    }
    return seen;
}

static void spoil(void) {
    memset(all[o].by_sequence, 0xff, all[o].sequence_elements * sizeof(number));
    for (int i = q; i <= v; i++) {
        memset(all[i].by_heads, 0xff, all[i].head_elements * sizeof(number));
    }
}

static size_t check(void) {
    size_t wrong = 0;
    for (int i = 0; i < tensors; i++) {
        wrong += visit(i, i != o, 0);
    }
    return wrong;
}

int main(int argc, char **argv) {
    begin(argc, argv, "ulysses: q, k, v and the output of 10 heads, 3 of them for k and v");
    for (size_t length = 61; length <= 1021; length += 960) {
        for (int order = 0; order < 2; order++) {
            lay_out(length, order);
            describe();
            char name[96];
            snprintf(name, sizeof name, "%zu positions, %s", length,
                     order ? "(batch, heads, sequence, depth)" : "(batch, sequence, heads, depth)");
            const struct scene scene = {
                .name = name,
                .produce = produce,
                .consume = consume,
                .spoil = spoil,
                .check = check,
                .ways = {{"straight into place", straight, 0},
                         {"permute, all-to-all, permute", permuted, 2 * packed_elements * sizeof(number)}}};
            play(&scene);
        }
    }
    must(xcoll_request_free(&inputs));
    must(xcoll_request_free(&output));
    end();
    return 0;
}

/* Operations between two ranks as streams: bytes of the input go to the other rank, and pieces of the result are made
 * of the bytes that come. A plan says which, laid down from shape.h once for each root, before a batch. */
#ifndef BENCH_BARE_PAIR_H
#define BENCH_BARE_PAIR_H

#include "../contender.h"

enum { pair = 2 };

struct bare;

/* Bytes of the result: this rank's own, what comes, or the sum of both. */
struct piece {
    size_t at, from, bytes; /* `from`: in the input of either */
    int mine, theirs;
};

struct plan {
    size_t from, out, in; /* `out` bytes of the input go, from `from` on; `in` come */
    struct piece *pieces; /* those that need nothing of the other rank first */
    int own_count, piece_count;
    int in_turn; /* as much goes as comes in each call, so whoever is a message ahead has been read */
    enum { TOGETHER, ASKS, ANSWERS } order;
};

/* Collective, as the batches that use them are. */
void lay_plans(struct bare *self, const struct call *call);

#endif

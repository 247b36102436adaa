/* Which bare loops run, at which sizes, with which rings. One more can be tried without compiling anything:
 * NAME:ring|swap|halves:LIMIT:CHUNK:cached|stream:cached|stream, for all sizes; the last two are how the slots and how
 * the results are stored. */
#ifndef BENCH_BARE_WAYS_H
#define BENCH_BARE_WAYS_H

#include "bare.h"

enum loop { LOOP_LINES, LOOP_RING, LOOP_SWAP, LOOP_HALVES, LOOP_SHARED };
enum { most_ways = 64 };

struct way {
    const char *name;
    enum op op;
    size_t least, most; /* bytes of a message */
    enum loop loop;
    size_t limit; /* of the ring; 0: two messages */
    size_t chunk; /* 0: half a message */
    enum store slot, result;
};

struct ways {
    struct way ways[most_ways];
    struct variant variants[most_ways + 1];
};

/* 0 when one of the `count` texts is not a way. */
int find_ways(struct ways *found, int count, char **texts);

static inline struct ring_style style_for(const struct way *way, size_t bytes) {
    const struct ring_style style = {.limit = way->limit ? way->limit : 2 * lines_up(bytes),
                                     .chunk = way->chunk ? way->chunk : lines_up((bytes + 1) / 2),
                                     .slot = way->slot,
                                     .result = way->result,
                                     .swaps = way->loop == LOOP_SWAP};
    return style;
}

#endif

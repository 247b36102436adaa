/* Which bare loops run, at which sizes, with which rings. One more can be tried without compiling anything:
 * NAME:ring|swap|halves:LIMIT:CHUNK:cached|stream:cached|stream, for all sizes; the last two are how the slots and how
 * the results are stored. */
#ifndef BENCH_BARE_WAYS_H
#define BENCH_BARE_WAYS_H

#include "bare.h"

/* From LOOP_SWAP on: of two ranks. */
enum loop {
    LOOP_LINES,
    LOOP_RING,
    LOOP_HALVES,
    LOOP_SHARED,
    LOOP_SWAP,
    LOOP_PAIR_LINES,
    LOOP_PAIR_SWAPPED_LINES,
    LOOP_PAIR_SLOTS,
    LOOP_PAIR_SWAPPED_SLOTS
};
enum { most_ways = 256 };

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

static inline int swaps(enum loop loop) {
    return loop == LOOP_SWAP || loop == LOOP_PAIR_SWAPPED_LINES || loop == LOOP_PAIR_SWAPPED_SLOTS;
}

static inline struct ring_style style_for(const struct way *way, size_t bytes) {
    const struct ring_style style = {.limit = way->limit ? way->limit : 2 * lines_up(bytes),
                                     .chunk = way->chunk ? way->chunk : lines_up((bytes + 1) / 2),
                                     .slot = way->slot,
                                     .result = way->result,
                                     .swaps = swaps(way->loop)};
    return style;
}

#endif

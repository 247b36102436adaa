/* Measures ways to do one thing against each other, in one run: what every program of this folder shares.
 *
 * In every round each way runs one batch, in an order that turns. Each iteration of a batch writes all input, runs the
 * way and reads all results; the same loop without the way is taken off. A batch in which another process took a core
 * away is tried again. The machine's regime (a cache line's round trip between ranks 0 and 1) is measured around every
 * round. */
#ifndef BENCH_ANCESTORS_SCENE_H
#define BENCH_ANCESTORS_SCENE_H

#include <stddef.h>
#include <stdint.h>
#include <xcoll.h>

#include "touch.h"

enum { most_ways = 6, most_ranks = 64 };
/* The iteration whose results are checked. */
static const unsigned checked = 1u << 31;

struct way {
    const char *name;
    void (*run)(void);
    size_t extra_bytes; /* of memory beside what the user has anyhow, on this rank */
};

struct scene {
    const char *name;
    void (*produce)(unsigned iteration); /* writes this rank's input, another one in every iteration */
    uint64_t (*consume)(void);           /* reads all results */
    size_t (*check)(void);               /* the number of results that are wrong after produce(checked) */
    void (*spoil)(void);                 /* overwrites all results, before a check */
    struct way ways[most_ways];          /* the first is what the others are compared with */
    int collective_latency;              /* also print the distribution of single calls of the first way */
};

extern xcoll_comm_t world;
extern int rank, ranks;

void must(xcoll_result_t result);
void *room(size_t bytes); /* zeroed, aligned to a page; never given back */
/* Takes --rounds N and --batch-ms N; all else is left for the program. */
void begin(int argc, char **argv, const char *title);
/* Checks every way and measures all of them. Ends the program if one is wrong. Prints a table. */
void play(const struct scene *scene);
void end(void);

/* Deterministic values at byte `at` of what rank `from` writes, never a NaN, an infinity or a negative zero in any
 * type of floats, so that adding zeros changes nothing. */
static inline unsigned char value_at(size_t at, unsigned from, unsigned iteration) {
    const uint64_t mixed =
        (at + 1) * 0x9e3779b97f4a7c15u + from * 0xbf58476d1ce4e5b9u + iteration * 0x94d049bb133111ebu;
    return (unsigned char)(0x30 | (mixed >> 60));
}
#endif

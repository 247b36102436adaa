/* Hand-written collectives in shared memory without any library around them: the yardstick of what is possible.
 * They know the number of ranks, check nothing, select nothing and serve one communicator. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "../contender.h"
#include "../vec.h"
#include "pair.h"

enum {
    most_ranks = 16,
    line_bytes = 64,
    line_payload = 56, /* the rest of a line is its number */
    most_lines = 128,  /* of one message */
    most_line_messages = 32,
    ring_bytes = 16 << 20,
    part_bytes = 4 << 20,
    heap_bytes = 128 << 20
};

struct line {
    char payload[line_payload];
    _Atomic uint64_t number;
};

struct counter {
    _Alignas(128) _Atomic uint64_t value;
};

/* What one rank writes and all others read. */
struct area {
    struct counter arrived;                  /* barrier */
    struct counter published;                /* allreduce through a ring */
    struct counter reduced;                  /* its second half, where ranks reduce parts for each other */
    struct counter sent;                     /* bcast from this rank */
    struct counter taken[most_ranks];        /* bcasts in lines that this rank took from that one, */
    struct counter chunks_taken[most_ranks]; /* and chunks of bcasts */
    struct counter pair_sent, pair_taken;    /* chunks between two ranks, */
    struct counter pair_messages_taken;      /* and messages in lines */
    _Alignas(4096) struct line lines[2][most_lines];
    _Alignas(4096) struct line bcast_lines[2][most_lines];
    _Alignas(4096) struct line pair_lines[most_line_messages][most_lines];
    _Alignas(4096) char ring[ring_bytes];
    _Alignas(4096) char parts[part_bytes];
    _Alignas(4096) char bcast_ring[part_bytes];
    _Alignas(4096) char heap[heap_bytes];
};

struct ring {
    size_t at, slot, turns;
};

struct bare {
    struct area *areas; /* one of each rank */
    int rank, size;
    int crowded;
    uint64_t barriers, line_messages, chunks, parts, shared_calls;
    struct ring ring, part_ring;
    size_t heap_used;
    uint64_t bcasts[most_ranks], bcast_chunks[most_ranks]; /* from this root */
    uint64_t bcasts_seen, bcast_chunks_seen;               /* everyone has taken so many of this rank's */
    struct ring bcast_rings[most_ranks];
    struct plan plans[pair]; /* of each root */
    uint64_t pair_messages_sent, pair_messages_taken, pair_messages_seen, pair_sent, pair_taken, pair_seen;
    struct ring pair_rings[2]; /* of what goes, of what comes */
};

static inline void spin_until(struct bare *self, const _Atomic uint64_t *word, uint64_t least) {
    while (atomic_load_explicit((_Atomic uint64_t *)word, memory_order_acquire) < least) {
        if (self->crowded) {
            sched_yield();
        }
    }
}

static inline void publish(struct counter *counter, uint64_t value) {
    atomic_store_explicit(&counter->value, value, memory_order_release);
}

static inline size_t lines_up(size_t bytes) {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/* The place of the next slot in a ring of `limit` bytes. Every rank calls it alike and so knows everyone's place. */
static inline size_t next_slot(struct ring *ring, size_t limit, size_t bytes) {
    if (ring->slot != bytes || ring->at + bytes > limit) {
        ring->slot = bytes;
        ring->at = 0;
        ring->turns++;
    }
    const size_t place = ring->at;
    ring->at += bytes;
    return place;
}

void bare_barrier(struct bare *self);
void bare_lines(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype);

/* How a ring is used; see ring.c. */
struct ring_style {
    size_t limit, chunk;
    enum store slot, result;
    int swaps; /* two ranks, which swap their rings after each turn */
};
void bare_ring(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype,
               const struct ring_style *style);
void bare_halves(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype,
                 const struct ring_style *style);
void bare_shared(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype);

void bare_bcast_lines(struct bare *self, char *buf, size_t bytes, int root);
void bare_bcast_ring(struct bare *self, char *buf, size_t bytes, int root, const struct ring_style *style);

/* The limit of lines is in messages, that of slots 0 for two of them, however long. */
void bare_pair_lines(struct bare *self, const struct call *call, int root, const struct ring_style *style);
void bare_pair_slots(struct bare *self, const struct call *call, int root, const struct ring_style *style);

#endif

/* What the machine is like right now between ranks 0 and 1: virtual machines move between batches. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include <stdatomic.h>
#include <stdint.h>

/* Shared by the ranks of one job, made by the coordinator. Every word has a pair of lines of its own. */
struct page {
    _Alignas(128) _Atomic uint64_t ping;
    _Alignas(128) _Atomic uint64_t pong;
    _Alignas(128) _Atomic uint32_t arrived;
    _Alignas(128) _Atomic uint32_t generation;
};

struct probe {
    double round_trip_ns; /* of a cache line there and of another one back */
    double fma_per_add;   /* cycles of a fused multiply-add when both ranks issue them; 0: not known here */
};

struct party {
    struct page *page;
    int rank, size;
    int crowded; /* more ranks than cores: waiting must give the core away */
    uint64_t round;
};

uint64_t now_ns(void);
/* All ranks wait for each other. Sleeping waiters leave the cores to a probe. */
void party_sync(struct party *party, int sleeping);
/* Ranks 0 and 1 measure, the others wait. */
struct probe party_probe(struct party *party);

#endif

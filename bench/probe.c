#define _GNU_SOURCE
#include "probe.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { bursts = 7, trips_per_burst = 30, adds_per_burst = 4000, fmas_per_burst = 4000 };

uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void party_sync(struct party *party, int sleeping) {
    struct page *page = party->page;
    const uint32_t generation = atomic_load_explicit(&page->generation, memory_order_acquire);
    if (atomic_fetch_add(&page->arrived, 1) + 1 == (uint32_t)party->size) {
        atomic_store_explicit(&page->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&page->generation, generation + 1, memory_order_release);
        return;
    }
    const struct timespec nap = {0, 50000};
    while (atomic_load_explicit(&page->generation, memory_order_acquire) == generation) {
        if (sleeping) {
            nanosleep(&nap, NULL);
        } else if (party->crowded) {
            sched_yield();
        }
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static double ping_pong(struct party *party) {
    struct page *page = party->page;
    double trips[bursts];
    for (int burst = 0; burst < bursts; burst++) {
        const uint64_t start = now_ns();
        for (int trip = 0; trip < trips_per_burst; trip++) {
            const uint64_t round = ++party->round;
            if (party->rank == 0) {
                atomic_store_explicit(&page->ping, round, memory_order_release);
                while (atomic_load_explicit(&page->pong, memory_order_acquire) != round) {
                }
            } else {
                while (atomic_load_explicit(&page->ping, memory_order_acquire) != round) {
                }
                atomic_store_explicit(&page->pong, round, memory_order_release);
            }
        }
        trips[burst] = (double)(now_ns() - start) / trips_per_burst;
    }
    return median(trips, bursts);
}

/* Two hardware threads of one core share its multiply-add units, two cores do not. A chain of additions, which takes a
 * cycle each wherever it runs, is the clock. */
static double fma_per_add(void) {
#if defined(__x86_64__) && defined(__FMA__)
    double ratios[bursts];
    for (int burst = 0; burst < bursts; burst++) {
        __asm__ volatile("vzeroall" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
        const uint64_t start = now_ns();
        for (int i = 0; i < fmas_per_burst; i += 10) {
            __asm__ volatile("vfmadd231ps %%ymm0, %%ymm0, %%ymm1\n vfmadd231ps %%ymm0, %%ymm0, %%ymm2\n"
                             "vfmadd231ps %%ymm0, %%ymm0, %%ymm3\n vfmadd231ps %%ymm0, %%ymm0, %%ymm4\n"
                             "vfmadd231ps %%ymm0, %%ymm0, %%ymm5\n vfmadd231ps %%ymm0, %%ymm0, %%ymm6\n"
                             "vfmadd231ps %%ymm0, %%ymm0, %%ymm7\n vfmadd231ps %%ymm0, %%ymm0, %%ymm8\n"
                             "vfmadd231ps %%ymm0, %%ymm0, %%ymm9\n vfmadd231ps %%ymm0, %%ymm0, %%ymm10\n" ::
                                 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                                   "xmm10");
        }
        const uint64_t middle = now_ns();
        uint64_t chain = 0;
        for (int i = 0; i < adds_per_burst; i += 10) {
            __asm__ volatile("add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n"
                             "add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n add $1, %0\n"
                             : "+r"(chain));
        }
        const uint64_t end = now_ns();
        ratios[burst] = (double)(middle - start) / (double)(end - middle) * adds_per_burst / fmas_per_burst;
    }
    return median(ratios, bursts);
#else
    return 0;
#endif
}

struct probe party_probe(struct party *party) {
    struct probe probe = {0, 0};
    party_sync(party, party->crowded);
    if (party->rank < 2 && party->size > 1) {
        probe.round_trip_ns = ping_pong(party);
        probe.fma_per_add = fma_per_add();
    }
    party_sync(party, party->crowded);
    return probe;
}

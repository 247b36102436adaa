/* The bare loops as a contender. It starts its own ranks: `bare RANKS [WAY...]`; a WAY is one more loop to try, see
 * bare/ways.h. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bare/ways.h"

static struct bare self;
static struct ways ways;

int contender_begin(int argc, char **argv) {
    self.size = argc > 1 ? atoi(argv[1]) : 0;
    if (self.size < 1 || self.size > most_ranks || !find_ways(&ways, argc - 2, argv + 2)) {
        fprintf(stderr,
                "bench: usage: %s RANKS [NAME:ring|swap|halves:LIMIT:CHUNK:cached|stream:cached|stream]..., "
                "at most %d ranks\n",
                argv[0], most_ranks);
        exit(1);
    }
    self.areas = mmap(NULL, (size_t)self.size * sizeof *self.areas, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (self.areas == MAP_FAILED) {
        perror("bench: shared memory");
        exit(1);
    }
    self.crowded = self.size > sysconf(_SC_NPROCESSORS_ONLN);
    const pid_t parent = getpid();
    for (int rank = 1; rank < self.size; rank++) {
        if (fork() != 0) {
            continue;
        }
        self.rank = rank;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) {
            exit(1);
        }
        break;
    }
    return self.rank;
}

void contender_init(int *rank, int *size) {
    *rank = self.rank;
    *size = self.size;
}

const struct variant *contender_variants(void) {
    return ways.variants;
}

void *contender_alloc(enum memory memory, size_t bytes) {
    if (memory == MEMORY_SHARED) {
        char *at = self.areas[self.rank].heap + self.heap_used;
        self.heap_used += bytes;
        return self.heap_used <= heap_bytes ? at : NULL;
    }
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static const struct way *way_of(const struct call *call) {
    return &ways.ways[call->variant - ways.variants];
}

void contender_prepare(const struct call *call) {
    if (way_of(call)->loop > LOOP_SWAP) {
        lay_plans(&self, call);
    }
}

static void bcast(const struct way *way, void *buf, size_t bytes, int root) {
    if (way->loop == LOOP_LINES) {
        bare_bcast_lines(&self, buf, bytes, root);
        return;
    }
    const struct ring_style style = style_for(way, bytes);
    bare_bcast_ring(&self, buf, bytes, root, &style);
}

static void between_two(const struct way *way, const struct call *call, int root) {
    const struct ring_style style = {way->limit, way->chunk, way->slot, way->result, swaps(way->loop)};
    if (way->loop == LOOP_PAIR_LINES || way->loop == LOOP_PAIR_SWAPPED_LINES) {
        bare_pair_lines(&self, call, root, &style);
    } else {
        bare_pair_slots(&self, call, root, &style);
    }
}

static void allreduce(const struct way *way, const struct call *call, size_t bytes) {
    const struct ring_style style = style_for(way, bytes);
    switch (way->loop) {
    case LOOP_LINES:
        bare_lines(&self, call->send, call->recv, bytes, call->dtype);
        break;
    case LOOP_RING:
    case LOOP_SWAP:
        bare_ring(&self, call->send, call->recv, bytes, call->dtype, &style);
        break;
    case LOOP_HALVES:
        bare_halves(&self, call->send, call->recv, bytes, call->dtype, &style);
        break;
    default:
        bare_shared(&self, call->send, call->recv, bytes, call->dtype);
    }
}

void contender_run(const struct call *call, int root) {
    const struct way *way = way_of(call);
    const size_t bytes = call->count * dtype_size(call->dtype);
    if (way->op == OP_BARRIER) {
        bare_barrier(&self);
    } else if (way->op == OP_BCAST) {
        bcast(way, call->recv, bytes, root);
    } else if (way->op == OP_ALLREDUCE) {
        allreduce(way, call, bytes);
    } else {
        between_two(way, call, root);
    }
}

void contender_finalize(void) {
}

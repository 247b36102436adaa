/* Tensor-parallel decoding: bfloat16 allreduces of 8 to 64 KiB in groups of two ranks. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { group_size = 2, largest = 64 << 10 };

static xcoll_comm_t group;
static int place, members; /* in the group */
static size_t count;
static uint16_t *partial, *sum, *gathered;
static float *wide;

static float to_float(uint16_t number) {
    const uint32_t bits = (uint32_t)number << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* To nearest, ties to even; NaNs do not occur here. */
static uint16_t to_bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void allreduce(void) {
    must(xcoll_allreduce(partial, sum, count, XCOLL_BFLOAT16, XCOLL_SUM, group));
}

/* What one does where the type is missing. */
static void widened(void) {
    for (size_t i = 0; i < count; i++) {
        wide[i] = to_float(partial[i]);
    }
    must(xcoll_allreduce(XCOLL_IN_PLACE, wide, count, XCOLL_FLOAT32, XCOLL_SUM, group));
    for (size_t i = 0; i < count; i++) {
        sum[i] = to_bfloat16(wide[i]);
    }
}

/* What one does where only moving data is fast. */
static void gathered_and_added(void) {
    must(xcoll_allgather(partial, count, gathered, XCOLL_BFLOAT16, group));
    for (size_t i = 0; i < count; i++) {
        float all = 0;
        for (size_t r = 0; r < (size_t)members; r++) {
            all += to_float(gathered[r * count + i]);
        }
        sum[i] = to_bfloat16(all);
    }
}

static uint16_t value(size_t i, int from) {
    return to_bfloat16((float)(i * 5 % 23) + (float)(from + 1) / 8);
}

static void produce(unsigned iteration) {
    if (iteration != checked) {
        write_all(partial, count * sizeof *partial, iteration);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        partial[i] = value(i, place);
    }
}

static uint64_t consume(void) {
    return read_all(sum, count * sizeof *sum);
}

static void spoil(void) {
    memset(sum, 0xff, count * sizeof *sum);
}

static size_t check(void) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        float all = 0;
        for (int r = 0; r < members; r++) {
            all += to_float(value(i, r));
        }
        wrong += sum[i] != to_bfloat16(all);
    }
    return wrong;
}

int main(int argc, char **argv) {
    begin(argc, argv, "tp_decode: bfloat16 allreduces in groups of two");
    must(xcoll_comm_split(world, rank / group_size, rank, &group));
    must(xcoll_comm_rank(group, &place));
    must(xcoll_comm_size(group, &members));
    partial = room(largest);
    sum = room(largest);
    gathered = room((size_t)members * largest);
    wide = room((size_t)2 * largest);
    for (size_t bytes = 8 << 10; bytes <= largest; bytes *= 2) {
        count = bytes / sizeof *partial;
        char name[64];
        snprintf(name, sizeof name, "%zu KiB", bytes >> 10);
        const struct scene scene = {.name = name,
                                    .produce = produce,
                                    .consume = consume,
                                    .spoil = spoil,
                                    .check = check,
                                    .ways = {{"allreduce", allreduce, 0},
                                             {"widened to float32", widened, 2 * bytes},
                                             {"gathered, then added up", gathered_and_added, (size_t)members * bytes}},
                                    .collective_latency = 1};
        play(&scene);
    }
    must(xcoll_comm_free(&group));
    end();
    return 0;
}

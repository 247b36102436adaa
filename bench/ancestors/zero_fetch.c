/* Fetching 200 sharded parameters: straight into place, and as frameworks do it today. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

enum { parameters = 200, types = 4 };

static const xcoll_dtype_t type_of[types] = {XCOLL_FLOAT32, XCOLL_BFLOAT16, XCOLL_FLOAT8_E4M3, XCOLL_INT64};
static const size_t bytes_of[types] = {4, 2, 1, 8};

/* The parameters of a type lie together and begin at multiples of 64 bytes, so that the allreduce can have one buffer
 * for each type. Shards are what a rank keeps: packed, as an optimizer leaves them. */
static struct parameter {
    size_t elements, at;       /* `at`: byte in the model */
    size_t counts[most_ranks]; /* elements of each rank's shard, the last ones shorter or empty */
    size_t begin[most_ranks];
    size_t shard_at; /* byte in this rank's shards */
} model[parameters];
static size_t type_begin[types + 1], model_bytes, shard_bytes[most_ranks], longest_shard;
static unsigned char *full, *shards, *flat;
static int in_heap; /* what is sent lies in the symmetric heap: the shards, and the buffer of the flat gather */
static xcoll_request_t fetch;

static int type(int k) {
    return k / (parameters / types);
}

static void *room_to_send(size_t bytes) {
    void *at = NULL;
    if (!in_heap) {
        return room(bytes);
    }
    must(xcoll_mem_alloc(world, bytes, &at));
    return at;
}

static void lay_out(size_t scale) {
    model_bytes = 0;
    memset(shard_bytes, 0, sizeof shard_bytes);
    for (int k = 0; k < parameters; k++) {
        struct parameter *p = &model[k];
        type_begin[type(k)] = k % (parameters / types) == 0 ? model_bytes : type_begin[type(k)];
        p->elements = k % 10 == 3 ? (size_t)k / 10 % 4 : ((size_t)(k * k) * 31 % 997 + 1) * scale + (size_t)k % 3;
        p->at = model_bytes;
        p->shard_at = shard_bytes[rank];
        const size_t shard = (p->elements + (size_t)ranks - 1) / (size_t)ranks;
        for (size_t r = 0, left = p->elements; r < (size_t)ranks; left -= p->counts[r++]) {
            p->begin[r] = p->elements - left;
            p->counts[r] = left < shard ? left : shard;
            shard_bytes[r] += p->counts[r] * bytes_of[type(k)];
        }
        model_bytes += (p->elements * bytes_of[type(k)] + 63) / 64 * 64;
    }
    type_begin[types] = model_bytes;
    longest_shard = 0;
    for (int r = 0; r < ranks; r++) {
        longest_shard = shard_bytes[r] > longest_shard ? shard_bytes[r] : longest_shard;
    }
    full = room(model_bytes);
    shards = room_to_send(longest_shard);
    flat = room_to_send(longest_shard * (size_t)ranks);
}

static void describe(void) {
    must(xcoll_request_free(&fetch));
    must(xcoll_group_start());
    for (int k = 0; k < parameters; k++) {
        must(xcoll_allgatherv(shards + model[k].shard_at, model[k].counts[rank], full + model[k].at, model[k].counts,
                              NULL, type_of[type(k)], world));
    }
    must(xcoll_group_end_init(&fetch));
}

static void straight(void) {
    must(xcoll_start(&fetch));
    for (size_t k = 0; k < parameters; k++) {
        must(xcoll_wait_part(fetch, k));
    }
    must(xcoll_wait(&fetch));
}

/* One all-gather of what every rank has, padded to the longest; then each parameter is put together. */
static void flat_gather(void) {
    memcpy(flat + (size_t)rank * longest_shard, shards, shard_bytes[rank]);
    must(xcoll_allgather(XCOLL_IN_PLACE, longest_shard, flat, XCOLL_UINT8, world));
    size_t at[most_ranks] = {0};
    for (int k = 0; k < parameters; k++) {
        const struct parameter *p = &model[k];
        const size_t bytes = bytes_of[type(k)];
        for (int r = 0; r < ranks; r++) {
            memcpy(full + p->at + p->begin[r] * bytes, flat + (size_t)r * longest_shard + at[r], p->counts[r] * bytes);
            at[r] += p->counts[r] * bytes;
        }
    }
}

/* Everything zero but this rank's shards, and added up: in one allreduce for each type. */
static void zero_filled(void) {
    memset(full, 0, model_bytes);
    for (int k = 0; k < parameters; k++) {
        const struct parameter *p = &model[k];
        const size_t bytes = bytes_of[type(k)];
        memcpy(full + p->at + p->begin[rank] * bytes, shards + p->shard_at, p->counts[rank] * bytes);
    }
    for (int t = 0; t < types; t++) {
        must(xcoll_allreduce(XCOLL_IN_PLACE, full + type_begin[t], (type_begin[t + 1] - type_begin[t]) / bytes_of[t],
                             type_of[t], XCOLL_SUM, world));
    }
}

static void one_by_one(void) {
    for (int k = 0; k < parameters; k++) {
        must(xcoll_allgatherv(shards + model[k].shard_at, model[k].counts[rank], full + model[k].at, model[k].counts,
                              NULL, type_of[type(k)], world));
    }
}

/* ---------------------------------------------------------------------------------- what a program does around it */

static void produce(unsigned iteration) {
    if (iteration != checked) {
        write_all(shards, shard_bytes[rank], iteration + (unsigned)rank);
        return;
    }
    for (size_t i = 0; i < shard_bytes[rank]; i++) {
        shards[i] = value_at(i, (unsigned)rank, iteration);
    }
}

static uint64_t consume(void) {
    return read_all(full, model_bytes);
}

static void spoil(void) {
    memset(full, 0xff, model_bytes);
}

static size_t check(void) {
    size_t wrong = 0, at[most_ranks] = {0};
    for (int k = 0; k < parameters; k++) {
        const struct parameter *p = &model[k];
        const size_t bytes = bytes_of[type(k)];
        for (int r = 0; r < ranks; r++) {
            for (size_t i = 0; i < p->counts[r] * bytes; i++) {
                wrong += full[p->at + p->begin[r] * bytes + i] != value_at(at[r]++, (unsigned)r, checked);
            }
        }
    }
    return wrong;
}

int main(int argc, char **argv) {
    begin(argc, argv, "zero_fetch: 200 parameters of four types, in one persistent group of all-gathers");
    for (in_heap = 0; in_heap < 2; in_heap++) {
        for (size_t scale = 1; scale <= 16; scale *= 4) {
            lay_out(scale);
            describe();
            char name[96];
            snprintf(name, sizeof name, "%zu KiB of parameters%s", model_bytes >> 10,
                     in_heap ? ", shards in the symmetric heap" : "");
            const struct scene scene = {
                .name = name,
                .produce = produce,
                .consume = consume,
                .spoil = spoil,
                .check = check,
                .ways = {{"straight into place", straight, 0},
                         {"flat gather, narrow and concatenate", flat_gather, longest_shard * (size_t)ranks},
                         {"zero-filled allreduce", zero_filled, 0},
                         {"one all-gather after the other", one_by_one, 0}}};
            play(&scene);
            if (in_heap) {
                must(xcoll_request_free(&fetch));
                must(xcoll_mem_free(world, shards));
                must(xcoll_mem_free(world, flat));
            }
        }
    }
    end();
    return 0;
}

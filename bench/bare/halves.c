/* Reduce-scatter and all-gather: of every chunk, rank r reduces part r for everyone. A rank copies in only what others
 * reduce, and copies out what others reduced. Chunks are pipelined: copy in the next, reduce this one, take the last.
 */
#include "bare.h"

static size_t part_start(size_t bytes, int part, int parts) {
    return bytes * (size_t)part / (size_t)parts / line_bytes * line_bytes;
}

static size_t part_end(size_t bytes, int part, int parts) {
    return part + 1 == parts ? bytes : part_start(bytes, part + 1, parts);
}

struct chunk {
    size_t at, bytes, in, out;
};

static void copy_in(struct bare *self, const char *send, const struct chunk *chunk, enum store store) {
    struct area *mine = &self->areas[self->rank];
    const size_t first = part_start(chunk->bytes, self->rank, self->size);
    const size_t end = part_end(chunk->bytes, self->rank, self->size);
    vec_copy(mine->ring + chunk->in, send + chunk->at, first, store);
    vec_copy(mine->ring + chunk->in + end, send + chunk->at + end, chunk->bytes - end, store);
    vec_drain(store);
    publish(&mine->published, ++self->chunks);
}

/* The sum goes to the other ranks first and from there, still in the cache, into this rank's own result. */
static void reduce_part(struct bare *self, const char *send, char *recv, const struct chunk *chunk, enum dtype dtype,
                        const struct ring_style *style) {
    struct area *mine = &self->areas[self->rank];
    const size_t first = part_start(chunk->bytes, self->rank, self->size);
    const size_t bytes = part_end(chunk->bytes, self->rank, self->size) - first;
    const char *own = send + chunk->at + first;
    char *result = recv + chunk->at + first;
    for (int step = 1; step < self->size; step++) {
        const struct area *peer = &self->areas[(self->rank + step) % self->size];
        vec_sum(result, step == 1 ? own : result, peer->ring + chunk->in + first, bytes, dtype, style->result);
    }
    vec_copy(mine->parts + chunk->out, result, bytes, style->slot);
    vec_drain(style->slot);
    publish(&mine->reduced, ++self->parts);
}

static void copy_out(struct bare *self, char *recv, const struct chunk *chunk, enum store store) {
    for (int peer = 0; peer < self->size; peer++) {
        if (peer == self->rank) {
            continue;
        }
        const size_t first = part_start(chunk->bytes, peer, self->size);
        vec_copy(recv + chunk->at + first, self->areas[peer].parts + chunk->out,
                 part_end(chunk->bytes, peer, self->size) - first, store);
    }
}

static void await(struct bare *self, size_t counter, uint64_t least) {
    for (int peer = 0; peer < self->size; peer++) {
        if (peer != self->rank) {
            spin_until(self, (const _Atomic uint64_t *)((const char *)&self->areas[peer] + counter), least);
        }
    }
}

void bare_halves(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype,
                 const struct ring_style *style) {
    const size_t chunks = (bytes + style->chunk - 1) / style->chunk;
    const size_t slot = lines_up(bytes < style->chunk ? bytes : style->chunk);
    const size_t part_slot = lines_up(slot / (size_t)self->size) + line_bytes * (size_t)self->size;
    const uint64_t chunk_base = self->chunks, part_base = self->parts;
    struct chunk stages[3];
    for (size_t tick = 0; tick < chunks + 2; tick++) {
        if (tick < chunks) {
            struct chunk *chunk = &stages[tick % 3];
            chunk->at = tick * style->chunk;
            chunk->bytes = bytes - chunk->at < style->chunk ? bytes - chunk->at : style->chunk;
            chunk->in = next_slot(&self->ring, style->limit, slot);
            chunk->out = next_slot(&self->part_ring, style->limit / 2, part_slot);
            copy_in(self, send, chunk, style->slot);
        }
        if (tick >= 1 && tick <= chunks) {
            await(self, offsetof(struct area, published), chunk_base + tick);
            reduce_part(self, send, recv, &stages[(tick - 1) % 3], dtype, style);
        }
        if (tick >= 2) {
            await(self, offsetof(struct area, reduced), part_base + tick - 1);
            copy_out(self, recv, &stages[(tick - 2) % 3], style->result);
        }
    }
    vec_drain(style->result);
}

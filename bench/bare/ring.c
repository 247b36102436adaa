/* Copy in, publish, read the others' copies: every rank reduces the whole vector. The slots rotate through a ring of
 * `limit` bytes; a limit of two messages makes two slots. Longer messages go in chunks, each copied in before the one
 * before it is awaited.
 *
 * No credits: a rank publishes chunk g only when it has read all chunks up to g - 3, and a rank that writes chunk g has
 * seen everyone publish g - 2. So a ring of five chunks or more, or of two messages of one chunk, is never overrun. The
 * places of different styles overlap: between them the ranks must meet, as they do between batches.
 *
 * Two ranks can swap their rings after each turn: then a rank writes the lines that it has read last, which are in its
 * own cache. Nothing is overrun, as it has read the chunk that lies there itself. */
#include "bare.h"

struct chunk {
    size_t place, turn, bytes;
};

static char *slot_of(const struct bare *self, int rank, const struct chunk *chunk, const struct ring_style *style) {
    const int owner = style->swaps ? (rank + (int)(chunk->turn % 2)) % self->size : rank;
    return self->areas[owner].ring + chunk->place;
}

/* With more than two ranks the result may have been written over `send` before its turn comes; the copy has not. */
static void reduce_chunk(struct bare *self, const char *send, char *recv, const struct chunk *chunk, enum dtype dtype,
                         const struct ring_style *style) {
    const char *own = self->size > 2 ? slot_of(self, self->rank, chunk, style) : send;
    const char *sum = self->rank == 0 ? own : slot_of(self, 0, chunk, style);
    for (int peer = 1; peer < self->size; peer++) {
        const char *next = peer == self->rank ? own : slot_of(self, peer, chunk, style);
        vec_sum(recv, sum, next, chunk->bytes, dtype, style->result);
        sum = recv;
    }
}

void bare_ring(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype,
               const struct ring_style *style) {
    struct counter *published = &self->areas[self->rank].published;
    const size_t slot = lines_up(bytes < style->chunk ? bytes : style->chunk);
    struct chunk last = {0, 0, 0};
    for (size_t at = 0;; at += style->chunk) {
        struct chunk chunk = {0, 0, 0};
        if (at < bytes) {
            chunk.bytes = bytes - at < style->chunk ? bytes - at : style->chunk;
            chunk.place = next_slot(&self->ring, style->limit, slot);
            chunk.turn = self->ring.turns;
            char *slot_here = slot_of(self, self->rank, &chunk, style);
            vec_copy(slot_here, send + at, chunk.bytes, style->slot);
            vec_drain(style->slot);
            publish(published, ++self->chunks);
            vec_demote(slot_here, chunk.bytes, style->slot);
        }
        if (at > 0) {
            const uint64_t wanted = self->chunks - (chunk.bytes > 0);
            for (int peer = 0; peer < self->size; peer++) {
                if (peer != self->rank) {
                    spin_until(self, &self->areas[peer].published.value, wanted);
                }
            }
            const size_t before = at - style->chunk;
            reduce_chunk(self, send + before, recv + before, &last, dtype, style);
            if (chunk.bytes == 0) {
                break;
            }
        }
        last = chunk;
    }
    vec_drain(style->result);
}

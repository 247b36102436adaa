/* Copy in, publish, read the others' copies: every rank reduces the whole vector. The slots rotate through a ring of
 * `limit` bytes; a limit of two messages makes two slots. Longer messages go in chunks, each copied in before the one
 * before it is awaited.
 *
 * No credits: a rank publishes chunk g only when it has read all chunks up to g - 3, and a rank that writes chunk g has
 * seen everyone publish g - 2. So a ring of five chunks or more, or of two messages of one chunk, is never overrun. The
 * places of different styles overlap: between them the ranks must meet, as they do between batches. */
#include "bare.h"

/* With more than two ranks the result may have been written over `send` before its turn comes; the copy has not. */
static void reduce_chunk(struct bare *self, const char *send, char *recv, size_t bytes, size_t place, enum dtype dtype,
                         enum store store) {
    const char *own = self->size > 2 ? self->areas[self->rank].ring + place : send;
    const char *sum = self->rank == 0 ? own : self->areas[0].ring + place;
    for (int peer = 1; peer < self->size; peer++) {
        vec_sum(recv, sum, peer == self->rank ? own : self->areas[peer].ring + place, bytes, dtype, store);
        sum = recv;
    }
}

void bare_ring(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype,
               const struct ring_style *style) {
    struct area *mine = &self->areas[self->rank];
    const size_t slot = lines_up(bytes < style->chunk ? bytes : style->chunk);
    size_t last_place = 0, last_bytes = 0;
    for (size_t at = 0;; at += style->chunk) {
        size_t place = 0, part = 0;
        if (at < bytes) {
            part = bytes - at < style->chunk ? bytes - at : style->chunk;
            place = next_slot(&self->ring, style->limit, slot);
            vec_copy(mine->ring + place, send + at, part, style->slot);
            vec_drain(style->slot);
            publish(&mine->published, ++self->chunks);
        }
        if (at > 0) {
            const uint64_t wanted = self->chunks - (part > 0);
            for (int peer = 0; peer < self->size; peer++) {
                if (peer != self->rank) {
                    spin_until(self, &self->areas[peer].published.value, wanted);
                }
            }
            const size_t before = at - style->chunk;
            reduce_chunk(self, send + before, recv + before, last_bytes, last_place, dtype, style->result);
            if (part == 0) {
                break;
            }
        }
        last_place = place;
        last_bytes = part;
    }
    vec_drain(style->result);
}

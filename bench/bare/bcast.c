/* The root copies chunks into its ring, the others copy them out. A root may run ahead of its readers, so it counts
 * what they have taken before it writes over anything. */
#include "bare.h"

/* `seen` spares a root that knows already from looking at its readers' lines again. */
static void await_taken(struct bare *self, size_t counters, uint64_t least, uint64_t *seen) {
    if (*seen >= least) {
        return;
    }
    uint64_t lowest = UINT64_MAX;
    for (int peer = 0; peer < self->size; peer++) {
        if (peer == self->rank) {
            continue;
        }
        const struct counter *taken =
            (const struct counter *)((const char *)&self->areas[peer] + counters) + self->rank;
        spin_until(self, &taken->value, least);
        const uint64_t value = atomic_load_explicit((_Atomic uint64_t *)&taken->value, memory_order_acquire);
        lowest = value < lowest ? value : lowest;
    }
    *seen = lowest;
}

void bare_bcast_lines(struct bare *self, char *buf, size_t bytes, int root) {
    const uint64_t number = ++self->bcasts[root];
    struct line *lines = self->areas[root].bcast_lines[number & 1];
    if (self->rank == root) {
        if (number > 2) {
            await_taken(self, offsetof(struct area, taken), number - 2, &self->bcasts_seen);
        }
        for (size_t at = 0; at < bytes; at += line_payload, lines++) {
            tail_copy(lines->payload, buf + at, bytes - at < line_payload ? bytes - at : line_payload);
            atomic_store_explicit(&lines->number, number, memory_order_release);
        }
        return;
    }
    for (size_t at = 0; at < bytes; at += line_payload, lines++) {
        spin_until(self, &lines->number, number);
        tail_copy(buf + at, lines->payload, bytes - at < line_payload ? bytes - at : line_payload);
    }
    publish(&self->areas[self->rank].taken[root], number);
}

void bare_bcast_ring(struct bare *self, char *buf, size_t bytes, int root, const struct ring_style *style) {
    const size_t longest = bytes < style->chunk ? bytes : style->chunk;
    const uint64_t slots = style->limit / lines_up(longest);
    struct area *area = &self->areas[root];
    for (size_t at = 0; at < bytes; at += longest) {
        const uint64_t number = ++self->bcast_chunks[root];
        const size_t part = bytes - at < longest ? bytes - at : longest;
        char *slot =
            area->bcast_ring + next_slot(&self->bcast_rings[root], slots * lines_up(longest), lines_up(longest));
        if (self->rank == root) {
            if (number > slots) {
                await_taken(self, offsetof(struct area, chunks_taken), number - slots, &self->bcast_chunks_seen);
            }
            vec_copy(slot, buf + at, part, style->slot);
            vec_drain(style->slot);
            publish(&area->sent, number);
            vec_demote(slot, part, style->slot);
        } else {
            spin_until(self, &area->sent.value, number);
            vec_copy(buf + at, slot, part, style->result);
            publish(&self->areas[self->rank].chunks_taken[root], number);
        }
    }
    vec_drain(style->result);
}

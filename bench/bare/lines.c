/* Messages whose lines carry their own number: one transfer brings the data and the news of it. Also the barrier, which
 * is a bare exchange of lines. */
#include "bare.h"

void bare_barrier(struct bare *self) {
    const uint64_t round = ++self->barriers;
    publish(&self->areas[self->rank].arrived, round);
    for (int peer = 0; peer < self->size; peer++) {
        if (peer != self->rank) {
            spin_until(self, &self->areas[peer].arrived.value, round);
        }
    }
}

static void write_lines(struct line *lines, const char *from, size_t bytes, uint64_t number) {
    for (; bytes >= line_payload; bytes -= line_payload, from += line_payload, lines++) {
        tail_copy(lines->payload, from, line_payload);
        atomic_store_explicit(&lines->number, number, memory_order_release);
    }
    if (bytes > 0) {
        tail_copy(lines->payload, from, bytes);
        atomic_store_explicit(&lines->number, number, memory_order_release);
    }
}

/* Two sets of lines are enough: when a peer's message n + 1 is here, the peer has read this rank's message n. */
void bare_lines(struct bare *self, const char *send, char *recv, size_t bytes, enum dtype dtype) {
    const uint64_t number = ++self->line_messages;
    struct area *areas = self->areas;
    write_lines(areas[self->rank].lines[number & 1], send, bytes, number);
    for (size_t at = 0, i = 0; at < bytes; at += line_payload, i++) {
        const size_t part = bytes - at < line_payload ? bytes - at : line_payload;
        const char *own = self->size > 2 ? areas[self->rank].lines[number & 1][i].payload : send + at;
        const char *sum = own;
        for (int peer = 0; peer < self->size; peer++) {
            const struct line *line = &areas[peer].lines[number & 1][i];
            if (peer != self->rank) {
                spin_until(self, &line->number, number);
            }
            if (peer == 0) {
                sum = self->rank == 0 ? own : line->payload;
                continue;
            }
            tail_add(recv + at, sum, peer == self->rank ? own : line->payload, part, dtype);
            sum = recv + at;
        }
    }
}

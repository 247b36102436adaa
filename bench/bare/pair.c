/* Two ranks: the stream that goes is copied into the other's reach, the one that comes is taken from there, in the
 * order in which it is used:
 *
 *     rank 0: input --copy--> lines or slots --copy or sum--> result of rank 1
 *     rank 1: input --copy--> lines or slots --copy or sum--> result of rank 0
 *
 * Where as much goes as comes in every call, whoever writes message n + 2 has seen n + 1, whose sender had read n: two
 * places are enough, and ranks may swap them, so that they write what they have read last. Otherwise who sends may be
 * ahead, and waits for a place that has been read. */
#include "bare.h"

struct stream {
    const struct plan *plan;
    const char *send;
    char *recv;
    const struct ring_style *style;
    enum dtype dtype;
    size_t put, taken; /* bytes so far */
    int piece;
    size_t piece_done;
};

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Uses what came for the piece whose turn it is; returns how much that took. */
static size_t use(const struct bare *self, struct stream *stream, const char *came, size_t bytes) {
    const struct piece *piece = &stream->plan->pieces[stream->piece];
    const size_t part = least_of(bytes, piece->bytes - stream->piece_done);
    char *result = stream->recv + piece->at + stream->piece_done;
    if (piece->mine) {
        const char *own = stream->send + piece->from + stream->piece_done;
        vec_sum(result, self->rank == 0 ? own : came, self->rank == 0 ? came : own, part, stream->dtype,
                stream->style->result);
    } else {
        vec_copy(result, came, part, stream->style->result);
    }
    stream->taken += part;
    stream->piece_done += part;
    if (stream->piece_done == piece->bytes) {
        stream->piece++;
        stream->piece_done = 0;
    }
    return part;
}

static void use_own(const struct stream *stream) {
    for (int i = 0; i < stream->plan->own_count; i++) {
        const struct piece *piece = &stream->plan->pieces[i];
        vec_copy(stream->recv + piece->at, stream->send + piece->from, piece->bytes, stream->style->result);
    }
}

/* ---------------------------------------------------------------------------------------------------------- lines */

static struct line *lines_of(struct bare *self, int writer, uint64_t message, const struct ring_style *style) {
    const int owner = style->swaps ? (writer + (int)(message & 1)) & 1 : writer;
    return self->areas[owner].pair_lines[message % style->limit];
}

static void send_lines(struct bare *self, struct stream *stream) {
    const struct plan *plan = stream->plan;
    const uint64_t message = ++self->pair_messages_sent;
    struct line *line = lines_of(self, self->rank, message, stream->style);
    if (!plan->in_turn && message > stream->style->limit) {
        const uint64_t least = message - stream->style->limit;
        if (self->pair_messages_seen < least) {
            spin_until(self, &self->areas[1 - self->rank].pair_messages_taken.value, least);
            self->pair_messages_seen = atomic_load(&self->areas[1 - self->rank].pair_messages_taken.value);
        }
    }
    for (; stream->put < plan->out; stream->put += line_payload, line++) {
        tail_copy(line->payload, stream->send + plan->from + stream->put,
                  least_of(line_payload, plan->out - stream->put));
        atomic_store_explicit(&line->number, message, memory_order_release);
    }
}

static void take_lines(struct bare *self, struct stream *stream) {
    const uint64_t message = ++self->pair_messages_taken;
    const struct line *line = lines_of(self, 1 - self->rank, message, stream->style);
    while (stream->taken < stream->plan->in) {
        spin_until(self, &line->number, message);
        const size_t held = least_of(line_payload, stream->plan->in - stream->taken);
        for (size_t used = 0; used < held;) {
            used += use(self, stream, line->payload + used, held - used);
        }
        line++;
    }
    if (!stream->plan->in_turn) {
        publish(&self->areas[self->rank].pair_messages_taken, message);
    }
}

/* ---------------------------------------------------------------------------------------------------------- slots */

static size_t slot_bytes(const struct ring_style *style, size_t bytes) {
    return lines_up(least_of(bytes, style->chunk));
}

static size_t slots_of(const struct ring_style *style, size_t slot) {
    return style->limit == 0 ? 2 : style->limit / slot;
}

static char *slot_of(struct bare *self, int writer, struct ring *ring, size_t slot, const struct ring_style *style) {
    const size_t place = next_slot(ring, slots_of(style, slot) * slot, slot);
    const int owner = style->swaps ? (writer + (int)(ring->turns & 1)) & 1 : writer;
    return self->areas[owner].ring + place;
}

/* A whole message in chunks, before any of the answer, may be more than a ring holds. */
static int is_told(const struct plan *plan, size_t slot) {
    return !plan->in_turn || (plan->order != TOGETHER && plan->out > slot);
}

static void send_chunk(struct bare *self, struct stream *stream) {
    const struct plan *plan = stream->plan;
    const struct ring_style *style = stream->style;
    const size_t slot = slot_bytes(style, plan->out), bytes = least_of(slot, plan->out - stream->put);
    char *to = slot_of(self, self->rank, &self->pair_rings[0], slot, style);
    const uint64_t chunk = ++self->pair_sent, slots = slots_of(style, slot);
    if (is_told(plan, slot) && chunk > slots && self->pair_seen < chunk - slots) {
        spin_until(self, &self->areas[1 - self->rank].pair_taken.value, chunk - slots);
        self->pair_seen = atomic_load(&self->areas[1 - self->rank].pair_taken.value);
    }
    vec_copy(to, stream->send + plan->from + stream->put, bytes, style->slot);
    vec_drain(style->slot);
    publish(&self->areas[self->rank].pair_sent, chunk);
    vec_demote(to, bytes, style->slot);
    stream->put += bytes;
}

static void take_chunk(struct bare *self, struct stream *stream) {
    const struct plan *plan = stream->plan;
    const size_t slot = slot_bytes(stream->style, plan->in), bytes = least_of(slot, plan->in - stream->taken);
    const char *from = slot_of(self, 1 - self->rank, &self->pair_rings[1], slot, stream->style);
    const uint64_t chunk = ++self->pair_taken;
    spin_until(self, &self->areas[1 - self->rank].pair_sent.value, chunk);
    for (size_t used = 0; used < bytes;) {
        used += use(self, stream, from + used, bytes - used);
    }
    if (is_told(plan, slot)) {
        publish(&self->areas[self->rank].pair_taken, chunk);
    }
}

/* Each chunk goes before the one that came before it is awaited. */
static void exchange_chunks(struct bare *self, struct stream *stream) {
    const struct plan *plan = stream->plan;
    if (plan->out > 0) {
        send_chunk(self, stream);
    }
    use_own(stream);
    while (stream->put < plan->out || stream->taken < plan->in) {
        if (stream->put < plan->out) {
            send_chunk(self, stream);
        }
        if (stream->taken < plan->in) {
            take_chunk(self, stream);
        }
    }
}

static void send_chunks(struct bare *self, struct stream *stream) {
    while (stream->put < stream->plan->out) {
        send_chunk(self, stream);
    }
}

static void take_chunks(struct bare *self, struct stream *stream) {
    while (stream->taken < stream->plan->in) {
        take_chunk(self, stream);
    }
}

static struct stream begin(struct bare *self, const struct call *call, int root, const struct ring_style *style) {
    const struct plan *plan = &self->plans[root];
    const struct stream stream = {.plan = plan,
                                  .send = call->send,
                                  .recv = call->recv,
                                  .style = style,
                                  .dtype = call->dtype,
                                  .piece = plan->own_count};
    return stream;
}

void bare_pair_lines(struct bare *self, const struct call *call, int root, const struct ring_style *style) {
    struct stream stream = begin(self, call, root, style);
    const struct plan *plan = stream.plan;
    if (plan->out > 0 && plan->order != ANSWERS) {
        send_lines(self, &stream);
    }
    use_own(&stream);
    if (plan->in > 0) {
        take_lines(self, &stream);
    }
    if (plan->out > 0 && plan->order == ANSWERS) {
        send_lines(self, &stream);
    }
}

void bare_pair_slots(struct bare *self, const struct call *call, int root, const struct ring_style *style) {
    struct stream stream = begin(self, call, root, style);
    switch (stream.plan->order) {
    case TOGETHER:
        exchange_chunks(self, &stream);
        break;
    case ASKS:
        send_chunks(self, &stream);
        take_chunks(self, &stream);
        break;
    case ANSWERS:
        take_chunks(self, &stream);
        send_chunks(self, &stream);
    }
    vec_drain(style->result);
}

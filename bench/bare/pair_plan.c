#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"

struct spans {
    struct span *list;
    int count;
};

static void *zeroed(size_t count, size_t bytes) {
    void *at = calloc(count, bytes);
    if (at == NULL) {
        perror("bench: memory");
        exit(1);
    }
    return at;
}

static struct spans spans_of(const struct call *call, int rank, int root) {
    const struct shape shape = {call->variant->op, call->count, rank, pair, root};
    struct spans found = {zeroed((size_t)shape_most_spans(&shape), sizeof(struct span)), 0};
    found.count = shape_spans(&shape, found.list);
    return found;
}

static int made_by(const struct span *span, int rank) {
    return span->count > 0 && span->first <= rank && rank < span->end;
}

/* What goes lies together, whatever the operation, in the order in which the other rank uses it. */
static void lay_out(struct plan *plan, const struct spans *there, int rank, size_t element) {
    for (int i = 0; i < there->count; i++) {
        const struct span *span = &there->list[i];
        if (!made_by(span, rank)) {
            continue;
        }
        plan->from = plan->out == 0 ? span->from * element : plan->from;
        if (plan->from + plan->out != span->from * element) {
            fprintf(stderr, "bench: the bare loops send one stretch of memory, and this operation has gaps\n");
            exit(1);
        }
        plan->out += span->count * element;
    }
}

static void lay_in(struct plan *plan, const struct spans *here, int rank, size_t element, int theirs) {
    for (int i = 0; i < here->count; i++) {
        const struct span *span = &here->list[i];
        const struct piece piece = {span->at * element, span->from * element, span->count * element,
                                    made_by(span, rank), made_by(span, 1 - rank)};
        if (piece.theirs == theirs && (piece.mine || theirs)) {
            plan->pieces[plan->piece_count++] = piece;
            plan->in += theirs ? piece.bytes : 0;
        }
    }
}

static void lay(struct plan *plan, const struct call *call, int rank, int root) {
    const size_t element = dtype_size(call->dtype);
    const struct spans here = spans_of(call, rank, root), there = spans_of(call, 1 - rank, root);
    free(plan->pieces);
    *plan = (struct plan){.pieces = zeroed((size_t)here.count + 1, sizeof *plan->pieces),
                          .order = call->variant->op != OP_PINGPONG ? TOGETHER
                                   : rank == 0                      ? ASKS
                                                                    : ANSWERS};
    lay_out(plan, &there, rank, element);
    lay_in(plan, &here, rank, element, 0);
    plan->own_count = plan->piece_count;
    lay_in(plan, &here, rank, element, 1);
    plan->in_turn = plan->in == plan->out;
    free(here.list);
    free(there.list);
}

/* Nothing is on its way between batches. Both directions begin alike, as ranks that swap places need it; and what was
 * read is told, as nobody tells it where everything goes in turn. */
void lay_plans(struct bare *self, const struct call *call) {
    for (int root = 0; root < pair; root++) {
        lay(&self->plans[root], call, self->rank, root);
    }
    memset(self->pair_rings, 0, sizeof self->pair_rings);
    if (self->pair_messages_sent < self->pair_messages_taken) {
        self->pair_messages_sent = self->pair_messages_taken;
    }
    self->pair_messages_taken = self->pair_messages_sent;
    publish(&self->areas[self->rank].pair_messages_taken, self->pair_messages_taken);
    publish(&self->areas[self->rank].pair_taken, self->pair_taken);
}

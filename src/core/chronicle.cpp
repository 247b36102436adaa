// What the trace tells of an operation.
#include "core/chronicle.h"

#include "coll/exchange.h"

namespace xcoll {

namespace {

// Of the message where all ranks have the same. Opaque items count by their parts.
size_t message_bytes(const Op &op) {
    if (op.dtype != Dtype::none || !op.out) {
        return op.bytes();
    }
    return std::max(op.out[0].bytes(), op.in[0].bytes());
}

// What this rank gives to the others, and takes of them.
void describe_parts(const Op &op, const Team &team, Trace::Description &description) {
    const Exchange exchange(op, team.rank, team.size);
    description.given = exchange.shared_out();
    description.taken = 0;
    for (int p = 0; p < team.size; ++p) {
        if (p != team.rank) {
            description.given += exchange.pair_out(p);
            description.taken += exchange.shared_in(p) + exchange.pair_in(p);
        }
    }
}

} // namespace

uint64_t Chronicle::trace(const Team &team, const Op &op, const Fingerprint &call, uint64_t n, const Row &row) {
    Trace::Description description{call, row.name, call.count, message_bytes(op), n, op.form, 0};
    if (op.kind == Kind::group || traits(op.kind).own_counts) {
        describe_parts(op, team, description);
    } else if (op.kind == Kind::group_reduce) {
        description.given = op.room;
        description.taken = op.room * static_cast<size_t>(team.size - 1);
    }
    description.calls = static_cast<uint32_t>(op.parts.size());
    return trace_->begin(description);
}

uint64_t Chronicle::trace_message(const Op &op) {
    const auto source = static_cast<uint32_t>(op.kind == Kind::sendrecv ? op.from : 0);
    return trace_->begin({fingerprint_of_message(op), nullptr, op.room, op.sent, trace::tags_word(op.tag, op.recv_tag),
                          op.form, source});
}

} // namespace xcoll

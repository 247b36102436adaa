#include "core/call.h"

#include <algorithm>

#include "coll/itinerary.h"
#include "xcoll.h"

namespace xcoll {

Portion *Call::make_parts(size_t out, size_t in) {
    Kept &to = kept();
    if (to.parts_out != out || to.parts_in != in) { // else this call is made again, with its room
        to.parts = std::make_unique<Portion[]>(out + in);
        to.parts_out = out;
        to.parts_in = in;
    }
    op.out = to.parts.get();
    op.in = to.parts.get() + out;
    return to.parts.get();
}

const size_t *Call::keep(const size_t *counts, size_t ranks) {
    auto &copy = kept().counts;
    copy.assign(counts, counts + ranks);
    return copy.data();
}

void Call::keep(std::vector<Call> calls) {
    Kept &to = kept();
    to.calls = std::move(calls);
    for (const Call &call : to.calls) {
        to.ops.push_back(call.op);
    }
    op.parts = to.ops;
}

void Call::write_itinerary(int rank, int ranks) {
    op.itinerary = nullptr; // it would be read instead of the calls
    auto &written = kept().itinerary;
    if (!written) {
        written = std::make_shared<Itinerary>();
    }
    op.itinerary = written->write(op, rank, ranks) ? written.get() : nullptr;
}

// ------------------------------------------------------------------------------------------- buffers that move

void Call::move_buffer(size_t part, Slot slot, const void *to, bool as_a_whole) {
    if (!joins_calls(op.kind)) {
        move_own_buffer(slot, to, as_a_whole);
        return;
    }
    Call &one = kept_->calls[part];
    one.move_own_buffer(slot, to, as_a_whole);
    kept_->ops[part] = one.op;
}

namespace {
template <class Pointer> Pointer shifted(Pointer pointer, ptrdiff_t distance) {
    return reinterpret_cast<Pointer>(reinterpret_cast<uintptr_t>(pointer) + static_cast<uintptr_t>(distance));
}
} // namespace

void Call::move_own_buffer(Slot slot, const void *to, bool as_a_whole) {
    const Slot other = slot == Slot::send ? Slot::recv : Slot::send;
    const auto distance =
        static_cast<ptrdiff_t>(reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(buffer(slot)));
    shift(slot, distance);
    buffers[static_cast<size_t>(slot)] = to;
    if (as_a_whole) {
        shift(other, distance);
        const void *&beside = buffers[static_cast<size_t>(other)];
        beside = beside && beside != XCOLL_IN_PLACE ? shifted(beside, distance) : beside;
    }
}

void Call::bind(size_t index, Binding binding) {
    (joins_calls(op.kind) ? kept_->calls[index] : *this).binding_ = binding;
}

void Call::shift(Slot slot, ptrdiff_t distance) {
    if (slot == Slot::send) {
        op.send = op.send ? shifted(op.send, distance) : nullptr;
    } else {
        op.recv = op.recv ? shifted(op.recv, distance) : nullptr;
    }
    if (kept_) {
        const size_t first = slot == Slot::send ? 0 : kept_->parts_out;
        const size_t end = slot == Slot::send ? kept_->parts_out : first + kept_->parts_in;
        for (size_t p = first; p < end; ++p) {
            kept_->parts[p].base = shifted(kept_->parts[p].base, distance);
        }
    }
}

} // namespace xcoll

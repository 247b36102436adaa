// A persistent plan follows a buffer that has moved: what xcoll_request_rebind checks.
#include <algorithm>
#include <vector>

#include "api/handle.h"
#include "api/request.h"
#include "api/validate.h"
#include "coll/exchange.h"
#include "coll/reduction.h"
#include "coll/reshard.h"

namespace xcoll::api {

namespace {

using Slot = Call::Slot;

// What a call reads and writes on this rank.
struct Sides {
    std::vector<Portion> out, in;
    const std::vector<Portion> &of(Slot slot) const {
        return slot == Slot::send ? out : in;
    }
};

Portion run(const void *buffer, size_t bytes) {
    return {static_cast<char *>(const_cast<void *>(buffer)), bytes, nullptr};
}

Sides sides_of(const Op &op, const Team &team) {
    Sides sides;
    if (op.kind == Kind::reshard_reduce) {
        sides.out.assign(op.out, op.out + team.size);
        for (const Reshard::Segment &segment : op.reshard->segments) {
            sides.in.push_back(segment.place);
        }
    } else if (traits(op.kind).up_to_count) {
        // What lies apart is known when it runs (coll/dynamic.h).
        const size_t any = op.count > 0 ? 1 : 0;
        sides.out.push_back(run(op.send, any));
        sides.in.push_back(run(op.recv, any));
    } else if (traits(op.kind).moves_data) {
        const Exchange exchange(op, team.rank, team.size);
        for (int p = 0; p < team.size; ++p) {
            if (p == 0 || !traits(op.kind).is_shared) {
                sides.out.push_back(exchange.out(op, p));
            }
            sides.in.push_back(exchange.in(op, p));
        }
        if (op.kind == Kind::bcast) {
            sides.in.push_back(op.in ? op.in[0] : run(op.recv, op.bytes())); // the root's as well
        }
    } else if (traits(op.kind).is_message) {
        sides.out.push_back(op.out ? op.out[0] : run(op.send, op.sent));
        sides.in.push_back(op.in ? op.in[0] : run(op.recv, op.room));
    } else if (op.kind != Kind::barrier) {
        sides.out.push_back(run(op.send, input_count(op, team.size) * op.element_bytes()));
        sides.in.push_back(run(op.recv, op.recv ? result_of(op, team.rank).count * op.element_bytes() : 0));
    }
    return sides;
}

bool is_nothing(const std::vector<Portion> &side) {
    return std::all_of(side.begin(), side.end(), [](const Portion &portion) { return portion.bytes() == 0; });
}

using Binding = Call::Binding;

// As the call was made.
Binding binding_of(const Call &call, const Sides &sides) {
    const Op &op = call.op;
    const auto is_in_place = [&](Slot slot) { return call.buffer(slot) == XCOLL_IN_PLACE; };
    const bool one = op.kind == Kind::bcast || is_in_place(Slot::send) || is_in_place(Slot::recv) ||
                     (traits(op.kind).reduces ? op.send && op.send == op.recv : coincide(op.kind, sides.out, sides.in));
    return one ? Binding::one : Binding::apart;
}

// Of those that are one: the slot in which the other one lies. An own part that lies there by its address moves out.
bool holds_the_other(const Call &call, Slot slot) {
    const Slot whole = call.op.kind == Kind::scatter || call.op.kind == Kind::scatterv ? Slot::send : Slot::recv;
    return slot == whole || call.buffer(Slot::send) == call.buffer(Slot::recv);
}

Slot checked_slot(const Op &op, int slot) {
    if (slot == XCOLL_SLOT_B || slot == XCOLL_SLOT_BIAS) {
        fail(XCOLL_ERR_ARGUMENT, "slot %d belongs to products: expected XCOLL_SLOT_SEND or XCOLL_SLOT_RECV of %s", slot,
             name_of(op.kind));
    }
    if (slot != XCOLL_SLOT_SEND && slot != XCOLL_SLOT_RECV) {
        fail(XCOLL_ERR_ARGUMENT, "slot %d is none: expected XCOLL_SLOT_SEND or XCOLL_SLOT_RECV", slot);
    }
    if (op.kind == Kind::bcast || op.kind == Kind::recv) {
        return Slot::recv;
    }
    return slot == XCOLL_SLOT_SEND || op.kind == Kind::send ? Slot::send : Slot::recv;
}

void check_buffers(const Op &op, int slot, const void *before, const void *buffer) {
    if (before == XCOLL_IN_PLACE) {
        fail(XCOLL_ERR_ARGUMENT, "slot %d is XCOLL_IN_PLACE in this %s: rebind the other slot, and both move", slot,
             name_of(op.kind));
    }
    if (!before) {
        fail(XCOLL_ERR_ARGUMENT,
             "slot %d of this %s was given as NULL: its displacements are addresses, and do not move", slot,
             name_of(op.kind));
    }
    if (!buffer || buffer == XCOLL_IN_PLACE) {
        fail(XCOLL_ERR_ARGUMENT, "buffer is %s: expected the address of the new buffer",
             buffer ? "XCOLL_IN_PLACE" : "NULL");
    }
}

void rebind(Plan &plan, size_t index, int slot, const void *buffer) {
    const Plan::Part part = checked_part(plan, index);
    const Call &call = plan.call(part);
    const Slot wanted = checked_slot(call.op, slot), other = wanted == Slot::send ? Slot::recv : Slot::send;
    const Team &team = plan.operations()[part.operation]->comm->team();
    const Sides now = sides_of(call.op, team);
    const Binding binding = call.binding() == Binding::unknown ? binding_of(call, now) : call.binding();
    const bool as_a_whole = binding == Binding::one && holds_the_other(call, wanted);
    if (is_nothing(now.of(wanted)) && (!as_a_whole || is_nothing(now.of(other)))) {
        return; // a buffer that holds nothing which the call uses may have any address
    }
    const void *before = call.buffer(wanted);
    check_buffers(call.op, slot, before, buffer);
    plan.move_buffer(part, wanted, buffer, as_a_whole);
    try {
        const Sides sides = sides_of(call.op, team);
        if (call.op.kind != Kind::bcast) { // of one buffer
            check_apart(call.op.kind, team.rank, sides.out, sides.in);
        }
    } catch (...) {
        const Failure why = caught();
        plan.move_buffer(part, wanted, before, as_a_whole);
        fail(why.result(), "with buffer %p, %s", buffer, why.what());
    }
    plan.bind(part, as_a_whole || buffer == before ? binding : Binding::apart);
}

} // namespace

} // namespace xcoll::api

extern "C" xcoll_result_t xcoll_request_rebind(xcoll_request_t request, size_t part, int slot, void *buffer) {
    using namespace xcoll::api;
    return guarded(__func__, [&] { rebind(checked_startable(request), part, slot, buffer); });
}

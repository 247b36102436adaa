// How often the ways were taken that are there for bad days. A test that never took them has shown nothing.
#pragma once

#include <cstdint>

#include "coll/shown.h"
#include "fabric/window.h"

namespace xcoll::sim {

struct Coverage {
    uint64_t operations = 0, without_room = 0, mismatches = 0, most_in_flight = 0, remade = 0, lent = 0, cut = 0,
             in_turns = 0, in_batons = 0, through_batons = 0;

    // Of operation n of a rank, which has just ended.
    void note(const Window &window, const Op &op, uint64_t n) {
        const Head &head = window.head(window.rank(), n);
        lent += head.lent != Lent::no;
        in_turns += window.has_wide_slots() && op.kind == Kind::allreduce && op.bytes() > window.slot_room();
        const bool gives_one_way = traits(op.kind).one_way && !traits(op.kind).own_counts &&
                                   shown_bytes(op.kind, op, window.rank(), window.size()) > inline_bytes;
        in_batons += gives_one_way && Batons::is_one(head.place.offset);
        through_batons += gives_one_way && Batons::is_one(head.place.offset) && head.place.total > baton_bytes;
    }
};

} // namespace xcoll::sim

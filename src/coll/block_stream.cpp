#include "coll/block_stream.h"

#include "coll/lending.h"
#include "coll/payload.h"
#include "coll/shown.h"

namespace xcoll {

namespace {

// Of two ranks that swap wide slots: from here on fewer blocks that stay in the nearer cache are worth more than being
// ahead. Measured as the sizes of these slots (fabric/node.cpp).
constexpr size_t long_bytes = size_t{1} << 20;
constexpr uint32_t long_depth = 2;

} // namespace

BlockStream::BlockStream(Team &team_, const Op &op_, const Fingerprint &call_, uint64_t n_)
    : team(team_), window(*team_.window), op(op_), call(call_), n(n_), element_bytes_(element_bytes(op_)) {
    for (int p = 0; p < team.size; ++p) {
        reads_any_ |= reads(p);
        writes_ |= is_read_by(p);
    }
}

void BlockStream::plan(size_t block_bytes, size_t regions, uint32_t depth) {
    block_bytes_ = std::max<size_t>(block_bytes / line_bytes, 1) * line_bytes;
    stride_ = block_bytes_ * regions;
    depth_ = depth;
    set_block_count(block_bytes_ / element_bytes_);
}

void BlockStream::set_block_count(size_t count) {
    block_count_ = count;
    const size_t all = input_count(op, team.size);
    set_blocks(all / count + (all % count ? 1 : 0));
}

void BlockStream::set_blocks(uint64_t blocks) {
    blocks_ = blocks;
    // The first turn swaps with the last one of the message before, if that was as long.
    const uint64_t turns = (blocks_ + depth_ - 1) / depth_;
    first_turn_ = turns % 2 ? n / slot_count : 0;
}

void BlockStream::plan_for_ring(size_t block_bytes, size_t results) {
    // Half of the ring at most: the other half is for the operation before or after this one.
    const size_t share = window.node().ring().bytes() / 2;
    const size_t regions = 1 + results;
    const size_t most = share / least_depth / regions;
    block_bytes = std::min(block_bytes, block_for_all());
    plan(std::min(block_bytes, most), regions,
         static_cast<uint32_t>(std::max<size_t>(share / regions / block_bytes, least_depth)));
}

// Bytes for the whole message in pieces of whole lines, one for each rank.
size_t BlockStream::block_for_all() const {
    const size_t piece = even_piece(input_count(op, team.size), team.size, element_bytes_);
    const size_t all = piece * static_cast<size_t>(team.size) * element_bytes_;
    return (all + line_bytes - 1) / line_bytes * line_bytes;
}

void BlockStream::plan_in_slot() {
    in_slot_ = true;
    const bool is_long = window.has_wide_slots() && written_count(op, team.size) * element_bytes_ >= long_bytes;
    plan(window.slot_room() / least_depth, 1, is_long ? long_depth : least_depth);
}

void BlockStream::enter(bool writing) {
    Head &head = window.begin_head(n, call);
    head.has_room = 1;
    head.place.base = Window::counter_base(window.my_cell(n));
    head.place.offset = 0;
    const bool offers = can_offer(team, op);
    if (writing && blocks_ > 0 && !in_slot_) {
        head.place.offset = take_area(offers);
        head.has_room = head.place.offset != 0;
    }
    if (offers) {
        offer(team, op, head);
    }
    window.announce(n);
}

// A baton for what may not be written after all, or is not read as input, would be lost.
uint64_t BlockStream::take_area(bool offers) {
    const size_t bytes = std::min<uint64_t>(depth_, blocks_) * stride_;
    const uint64_t baton = traits(op.kind).one_way && writes_ && !offers ? window.batons().give(bytes) : 0;
    return baton ? baton : window.node().ring().take(bytes, window, n);
}

// In which p's blocks have come; 0: in none.
uint64_t BlockStream::baton_of(int p) const {
    const Head &head = window.head(p, n);
    if (!beside_whole_) {
        return head.place.offset;
    }
    const size_t shown = shown_bytes(op.kind, op, p, team.size);
    const Kind kind = placed_as(op);
    return shows_whole(p) ? told_place(head, kind, shown, slot_room_for(window, kind)) : 0;
}

void BlockStream::enter_slot() {
    if (window.head(window.rank(), n).number.reached(n)) {
        writes_ &= window.head(window.rank(), n).has_room == 0;
        return;
    }
    Head &head = window.begin_head(n, call);
    head.has_room = 0;
    head.place.base = Window::counter_base(window.my_cell(n));
    window.announce(n);
}

bool BlockStream::settle() {
    bool room = true;
    uint64_t done = ~uint64_t{0};
    for (int p = 0; p < window.size(); ++p) {
        const Head &head = window.head(p, n);
        window.check_or_leave(p, n, call);
        room &= head.has_room != 0;
        done = std::min(done, Window::done_by(head, n));
    }
    window.saw_everyone(done);
    return room;
}

bool BlockStream::is_shared() const {
    for (int p = 0; p < window.size(); ++p) {
        if (window.head(p, n).lent == Lent::no) {
            return false;
        }
    }
    return true;
}

void BlockStream::show_offered() const {
    if (!shows_later(window.rank())) {
        return;
    }
    const size_t shown = shown_bytes(op.kind, op, team.rank, team.size);
    const uint64_t place = window.head(team.rank, n).place.offset;
    char *to = window.place(team.rank, n, place);
    write_shown(op.kind, op, team.rank, shown, to, [&](char *part, const char *from, size_t bytes) {
        window.writing_to(place).copy(*team.kernels, part, from, bytes);
    });
    publish_in(1);
}

void BlockStream::settle_beside_whole() {
    beside_whole_ = true;
    for (int p = 0; p < window.size(); ++p) {
        if (reads(p) || (writes_ && is_read_by(p))) {
            window.check_or_leave(p, n, call);
        }
    }
}

void BlockStream::finish() {
    // Those counters that the operation did not need catch up, so that all begin the next one equal.
    publish_in(blocks_);
    publish_out(blocks_);
    publish_used(blocks_);
    for (int p = 0; p < team.size; ++p) {
        if (reads(p)) {
            window.batons().keep(baton_of(p));
        }
    }
    window.complete(n);
}

} // namespace xcoll

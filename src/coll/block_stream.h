// A reduction of a message too large for one piece, as a stream of blocks: each rank that gives something has an area
// of `depth` blocks in its segment, and three counters in its cell.
//
//     in    blocks of input that I have written       others wait for it before they read my block
//     out   blocks of results that I have written     others wait for it before they read my result
//     used  blocks of all others that I have read     whoever I read waits for it before it rewrites a block
//
// Block k lies at area + (k % depth) * block_bytes. The rewriting rule is the credit rule once more, within an
// operation: block k is written only after used[p] >= k - depth + 1 for all p that read it, so nobody still reads block
// k - depth. Counters go on from operation to operation (a cell is used again and again), from the `base`
// that the owner's head tells; all ranks end an operation with in = out = used = base + blocks.
//
// The areas lie in the rings if everybody finds room there. Otherwise they lie in the slots, small but always there.
// A rank that had no room for showing all at once (one_shot.h) streams through its slot as well, beside others that
// show all: has_room tells the readers, and who reads no such rank never hears of it.
//
// Allreduces and reduce-scatters of two ranks with wide slots go through these in any case, and the ranks swap them
// after every turn of `depth` blocks, as they do from operation to operation (Window::slot): block k of one lies where
// block k - depth of the other was. Where both write and both read, the rewriting rule follows from the order of their
// own steps: a rank has combined its peer's block k - depth before it writes block k there, and the peer had combined
// what lay there before that.
//
// Waiting cannot deadlock as long as every rank takes the steps of all blocks in one order that gives each step a time,
// and each step waits for earlier ones only. Writing block k at time 2k and combining it at 2k + 3 is such an order: a
// rank combines k - 2 (time 2k - 1), writes k, combines k - 1 (2k + 1); combining k waits for others' writing of k;
// writing k waits for others' combining of k - depth, at 2k + 3 - 2 depth. Two-shot has the times 3k, 3k + 4, 3k + 8.
#pragma once

#include <algorithm>

#include "coll/reduction.h"

namespace xcoll {

class BlockStream {
public:
    BlockStream(Team &team_, const Op &op_, const Fingerprint &call_, uint64_t n_);

    // A pipeline of three stages waits for itself with less.
    static constexpr uint32_t least_depth = 4;
    // Of the smallest plan.
    static constexpr size_t slot_block_bytes = slot_bytes / least_depth;

    // Blocks in an area of the ring, of so many bytes for input and as many times more for results; smaller ones if the
    // ring is small. All ranks' rings have one size.
    void plan_for_ring(size_t block_bytes, size_t results = 0);
    // Blocks in this operation's slot: needs credit slot_count, and no memory from anybody.
    void plan_in_slot();

    // ---- heads. Credit is there: that of a cell for a ring, slot_count for a slot.
    // With an area in my ring, if that is the plan, I write, and there is room. I offer my buffers if they can be lent.
    void enter(bool writing);
    // With the slot as my area, unless I have shown all at once already.
    void enter_slot();
    // All heads are there: throws MISMATCH, complete. True if everybody has room.
    bool settle();
    // Then: everybody's buffers are lent.
    bool is_shared() const;
    // The heads of those that I read and, if I stream, of my readers are there. The areas lie in slots, beside ranks
    // that have shown all at once.
    void settle_beside_whole();
    // Not all offer their buffers, so those that do show their input after all.
    void show_offered() const;
    void finish();
    // Leaves early: peers that wait for this rank notice, and the operation is complete.

    // ---- who reads whom
    bool reads(int p) const {
        return p != window.rank() && needs_input(op, window.rank(), p);
    }
    bool is_read_by(int p) const {
        return p != window.rank() && needs_input(op, p, window.rank());
    }
    // Block k lies where p's block k - depth was, which this rank itself has read before: nothing to wait for.
    bool swaps_with(int p) const {
        return in_slot_ && window.swaps_slots() && reads(p) && is_read_by(p) && !shows_whole(p);
    }
    bool reads_any() const {
        return reads_any_;
    }
    // Whether this rank has blocks to write.
    bool writes() const {
        return writes_;
    }
    bool shows_whole(int p) const {
        return beside_whole_ && window.head(p, n).has_room != 0;
    }
    bool shows_later(int p) const {
        return shows_whole(p) && window.head(p, n).lent != Lent::no;
    }

    // ---- blocks
    uint64_t blocks() const {
        return blocks_;
    }
    uint32_t depth() const {
        return depth_;
    }
    size_t block_bytes() const {
        return block_bytes_;
    }
    // Elements that a block has room for.
    size_t block_count() const {
        return block_count_;
    }
    // Block k of p, in its area.
    char *block(int p, uint64_t k) const {
        char *area =
            in_slot_ ? window.slot(p, n, first_turn_ + k / depth_) : window.place(p, n, window.head(p, n).place.offset);
        return area + k % depth_ * stride_;
    }
    const char *send_at(size_t element) const {
        return static_cast<const char *>(op.send) + element * element_bytes_;
    }
    char *recv_at(size_t element) const {
        return static_cast<char *>(op.recv) + element * element_bytes_;
    }
    size_t bytes(size_t elements) const {
        return elements * element_bytes_;
    }

    // ---- what to wait for: p has written (read) so many blocks
    Until in(int p, uint64_t blocks) const {
        return {&window.cell(p, n).in, base(p) + blocks, p};
    }
    Until out(int p, uint64_t blocks) const {
        return {&window.cell(p, n).out, base(p) + blocks, p};
    }
    Until used(int p, uint64_t blocks) const {
        return {&window.cell(p, n).used, base(p) + blocks, p};
    }
    // After such a wait: throws, the operation being complete then, if the peer left it instead.
    void check(const Until &until) {
        if (window.is_broken(until.owner, n, *until.signal)) [[unlikely]] {
            window.leave(n);
            window.fail_broken(until.owner, n);
        }
    }
    // After a step of arithmetic: throws, the operation being complete then, if a user's function failed.
    void check(xcoll_result_t result) {
        if (result != XCOLL_SUCCESS) [[unlikely]] {
            window.leave(n);
            fail_operator(team, op, result);
        }
    }
    void publish_in(uint64_t blocks) const {
        window.publish(window.my_cell(n).in, base(window.rank()) + blocks);
    }
    void publish_out(uint64_t blocks) const {
        window.publish(window.my_cell(n).out, base(window.rank()) + blocks);
    }
    void publish_used(uint64_t blocks) const {
        window.publish(window.my_cell(n).used, base(window.rank()) + blocks);
    }

    Team &team;
    Window &window;
    const Op &op;
    const Fingerprint &call;
    const uint64_t n;

    CopyWay &writing() const {
        return in_slot_ ? window.slot_writing() : window.writing_to(window.head(window.rank(), n).place.offset);
    }

protected:
    // Another cut than the planned one: fewer elements in each block, or more blocks.
    void set_block_count(size_t count);
    void set_blocks(uint64_t blocks);

private:
    uint64_t base(int p) const {
        return window.head(p, n).place.base;
    }
    void plan(size_t block_bytes, size_t regions, uint32_t depth);
    size_t block_for_all() const;
    uint64_t take_area(bool offers);
    uint64_t baton_of(int p) const;

    size_t element_bytes_;
    size_t block_bytes_ = 0, block_count_ = 0, stride_ = 0;
    uint64_t blocks_ = 0;
    uint32_t depth_ = 0;
    uint64_t first_turn_ = 0; // of the slots
    bool in_slot_ = false, beside_whole_ = false;
    bool reads_any_ = false, writes_ = false;
};

} // namespace xcoll

// One-shot for messages larger than the ring takes in one piece: block after block, everybody writes what others need
// and combines what it needs itself.
//
//     rank 0   write a0 | write a1 | a0+b0 | write a2 | a1+b1 | ...
//     rank 1   write b0 | write b1 | a0+b0 | write b2 | a1+b1 | ...
//
// One wait per block, hidden behind the writing of the next. Each rank writes only what somebody reads: the root of a
// reduce and the last rank of a scan write nothing. A reduce-scatter is cut so that each block has its share of every
// rank's part, and everybody is busy all the time; the own share is left out.
//
// Cost per rank: alpha + (blocks + 1) sync + (P + 2) S beta: S in, P S read, S out; of a reduce-scatter, which reads
// one part of each rank's message of S, 2 S beta. Two-shot moves 4 S beta, so it wins beyond two ranks, but for
// reduce-scatter; for two, this one has fewer waits.
// Order: coll/reduction.h. A user's function is called with all that it needs on the rank that wants the result.
#include <optional>

#include "coll/block_stream.h"
#include "coll/credit.h"
#include "coll/payload.h"
#include "coll/shown.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

class Streamed : public BlockStream {
public:
    Streamed(Team &team_, const Op &op_, const Fingerprint &call_, uint64_t n_)
        : BlockStream(team_, op_, call_, n_),
          slice_memory_(*team_.scratch, static_cast<size_t>(team_.size) * sizeof(Slice)),
          slices_(reinterpret_cast<Slice *>(slice_memory_.data())), my_first_(result_of(op_, team_.rank).first) {
    }
    // Two blocks and what they are combined into fit a usual L2. Shorter messages come in some blocks as well, so that
    // reading overlaps writing.
    void plan_for_ring() {
        constexpr size_t most = size_t{64} << 10, least = size_t{16} << 10;
        constexpr size_t pieces = 4;
        BlockStream::plan_for_ring(std::clamp(bytes(written_count(op, team.size)) / pieces, least, most));
        cut_in_rows();
    }
    void plan_in_slot() {
        BlockStream::plan_in_slot();
        cut_in_rows();
    }

    // In rows, the results of a rank with a longer part than the first one's come to lie on what has yet to be written.
    // Shorter ones replace rows of the first part that were, and where blocks are cut as the message lies, any.
    void save_input() {
        if (in_rows_ && op.kind == Kind::reduce_scatterv && op.send == op.recv && op.counts[team.rank] > op.counts[0]) {
            saved_.emplace(*team.scratch, bytes(op.count));
            team.kernels->copy(saved_->data(), op.send, bytes(op.count));
        }
    }

    void write_in(uint64_t k) {
        char *to = block(window.rank(), k);
        const int slices = cut(k);
        for (int q = 0; q < slices; ++q) {
            const Slice &s = slices_[q];
            if (s.count > 0 && !(scatters(op) && q == window.rank())) {
                writing().copy(*team.kernels, to + (scatters(op) ? place_in_block(q, window.rank()) : 0), mine(s),
                               bytes(s.count));
            }
        }
        publish_in(k + 1);
    }
    void combine(uint64_t k) {
        cut(k);
        const Slice &s = slices_[scatters(op) ? window.rank() : 0];
        if (s.count > 0) {
            check(combine_all(team, op, recv_at(s.first - my_first_), window.scratch(), s.count,
                              [&](int p) { return input(p, k, s); }));
        }
        publish_used(k + 1);
    }
    // This rank's result is ready without anybody's help: only its own input goes into it.
    void combine_alone() const {
        if (op.kind != Kind::exscan && op.count > 0) {
            const void *own = op.send;
            window.scratch()[0] = own;
            combine_ordered(team, op, op.recv, window.scratch(), result_of(op, team.rank).count);
        }
    }

private:
    // Elements of the message and their place in a block.
    struct Slice {
        size_t first, count, place;
    };

    // A row has a slice of every other rank's part, one element shorter or longer than in other rows. Where blocks are
    // too short for that they are cut from the message as it lies.
    void cut_in_rows() {
        const auto ranks = static_cast<size_t>(team.size);
        in_rows_ = scatters(op) && 2 * ranks <= block_count();
        if (!in_rows_) {
            return;
        }
        if (op.kind == Kind::reduce_scatter) {
            set_blocks(shares(op.count, block_count() / std::max<size_t>(ranks - 1, 1)));
            return;
        }
        const size_t written = written_count(op, team.size);
        const uint64_t full = shares(written, block_count());
        // Where slices are one longer than their share in too many parts, there is room for that in each.
        set_blocks(longest_row(full) <= block_count() ? full : shares(written, block_count() - ranks));
    }
    static uint64_t shares(size_t count, uint64_t each) {
        return count / each + (count % each ? 1 : 0);
    }
    // Of the rank with the smallest part.
    size_t longest_row(uint64_t rows) const {
        size_t all = 0;
        for (int q = 0; rows > 0 && q < team.size; ++q) {
            all += shares(op.counts[q], rows);
        }
        return rows > 0 ? all - shares(op.least, rows) : 0;
    }
    // Within a block of the writer's, whose own slice is left out of a row as of what is shown whole (coll/shown.h).
    size_t place_in_block(int reader, int writer) const {
        const bool closed_up = in_rows_ && reader > writer;
        return bytes(slices_[reader].place - (closed_up ? slices_[writer].count : 0));
    }
    // Fills slices_, one for each reader if it makes a difference; returns how many.
    int cut(uint64_t k) {
        if (!scatters(op)) {
            const size_t first = k * block_count();
            slices_[0] = {first, std::min(block_count(), op.count - first), 0};
            return 1;
        }
        size_t part_first = 0, place = 0;
        for (int q = 0; q < team.size; ++q) {
            const size_t part = op.counts ? op.counts[q] : op.count;
            slices_[q] = in_rows_ ? row_slice(k, part_first, part, place) : straight_slice(k, part_first, part);
            part_first += part;
            place += slices_[q].count;
        }
        return team.size;
    }
    Slice row_slice(uint64_t k, size_t part_first, size_t part, size_t place) const {
        const size_t each = part / blocks(), longer = part % blocks();
        return {part_first + k * each + std::min<size_t>(k, longer), each + (k < longer ? 1 : 0), place};
    }
    Slice straight_slice(uint64_t k, size_t part_first, size_t part) const {
        const size_t first = k * block_count();
        const size_t begin = std::clamp(part_first, first, first + block_count());
        const size_t end = std::clamp(part_first + part, first, first + block_count());
        return {begin, end - begin, begin - first};
    }
    const char *mine(const Slice &s) const {
        return saved_ ? saved_->data() + bytes(s.first) : send_at(s.first);
    }
    const void *input(int p, uint64_t k, const Slice &s) const {
        if (p == window.rank()) {
            return mine(s);
        }
        if (shows_whole(p)) {
            const Kind kind = placed_as(op);
            const char *shown =
                payload_of(window, p, n, kind, shown_bytes(op.kind, op, p, team.size), slot_room_for(window, kind));
            return shown + place_in_shown(op.kind, op, window.rank(), p) + bytes(s.first - my_first_);
        }
        return block(p, k) + (scatters(op) ? place_in_block(window.rank(), p) : 0);
    }

    Scratch slice_memory_;
    Slice *slices_;
    size_t my_first_;
    bool in_rows_ = false;
    std::optional<Scratch> saved_;
};

// Of a scan's first rank, and of the only rank of a communicator.
bool has_result_alone(const Streamed &s) {
    return !s.reads_any() && (s.op.kind != Kind::reduce || s.op.root == s.team.rank);
}

Task pipeline(TaskHome &, Streamed &s) {
    const int ranks = s.window.size();
    s.save_input();
    for (uint64_t k = 0; k < s.blocks() + 1; ++k) {
        if (k < s.blocks() && s.writes()) {
            for (int p = 0; k >= s.depth() && p < ranks; ++p) {
                if (s.is_read_by(p) && !s.swaps_with(p)) {
                    co_await s.used(p, k - s.depth() + 1);
                    s.check(s.used(p, 0));
                }
            }
            s.write_in(k);
        }
        if (k >= 1 && s.reads_any()) {
            for (int p = 0; p < ranks; ++p) {
                if (s.reads(p) && !s.shows_whole(p)) {
                    co_await s.in(p, k);
                    s.check(s.in(p, 0));
                }
            }
            s.combine(k - 1);
        }
    }
    s.finish();
    if (has_result_alone(s)) {
        s.combine_alone();
    }
}

Task all_entered(TaskHome &, Window &window, uint64_t n) {
    for (int p = 0; p < window.size(); ++p) {
        co_await window.entered(p, n);
    }
}

} // namespace

Task reduce_streamed(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Streamed s(team, op, call, n);
    const bool in_slot = team.window->has_wide_slots() && fills_slots(placed_as(op));
    in_slot ? s.plan_in_slot() : s.plan_for_ring();
    const uint64_t ahead = in_slot ? slot_count : most_ahead(*team.window, op.bytes());
    if (!team.window->has_credit(n, ahead)) {
        co_await acquire_credit(home, *team.window, n, ahead);
    }
    s.enter(s.writes());
    co_await all_entered(home, *team.window, n);
    const bool room = s.settle();
    if (s.is_shared()) {
        co_await reduce_shared(home, team, op, call, n);
        co_return;
    }
    if (!room) {
        co_await reduce_in_slots(home, team, op, call, n);
        co_return;
    }
    co_await pipeline(home, s);
}

Task reduce_in_slots(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Streamed s(team, op, call, n);
    s.plan_in_slot();
    if (!team.window->has_credit(n, slot_count)) {
        co_await acquire_credit(home, *team.window, n, slot_count);
    }
    co_await pipeline(home, s);
}

Task reduce_beside_whole(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    Streamed s(team, op, call, n);
    s.plan_in_slot();
    if (!team.window->has_credit(n, slot_count)) {
        co_await acquire_credit(home, *team.window, n, slot_count);
    }
    s.enter_slot();
    for (int p = 0; p < team.size; ++p) {
        if (s.reads(p) || (s.writes() && s.is_read_by(p))) {
            co_await team.window->entered(p, n);
        }
    }
    s.settle_beside_whole();
    if (s.is_shared()) {
        co_await reduce_shared(home, team, op, call, n);
        co_return;
    }
    s.show_offered();
    for (int p = 0; p < team.size; ++p) {
        if (s.reads(p) && s.shows_later(p)) {
            co_await s.in(p, 1);
            s.check(s.in(p, 0));
        }
    }
    co_await pipeline(home, s);
}

} // namespace xcoll

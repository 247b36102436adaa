// Everybody combines one piece of the message for all, then those who get a result collect the pieces.
//
//     block k:   rank 0 writes [ . | b0 | c0 ]      piece 1 for rank 1, piece 2 for rank 2
//                rank 1 writes [ a1 | . | c1 ]                        in
//                rank 0 combines its piece of all inputs, and shows the result      out
//                everybody (of a reduce: the root) copies the other ranks' results  used
//
// A scan's piece has a result for every rank: behind the inputs, each block has room for one more piece per rank.
//
//     block k:   rank 0 writes [ . | b0 | c0 | (a0) | a0+a1 | a0+a1+a2 ]            rank 2 collects the last of each
//
// The message goes through in blocks, three of them under way at once: while block k is copied in, block k-1 is
// combined and block k-2 collected, so waiting for one hides behind work on another.
// Cost per rank: 2 alpha + (blocks + 2) sync + 4 S beta: S in, S read for combining (P inputs of S/P), S/P out, S
// collected; a scan shows S of results. Streamed reads P S instead. Wins for large messages and many ranks.
// Order: coll/reduction.h. Each element is combined by one rank alone, so all ranks have the same bits; the sums of a
// scan grow by one rank at a time, in the accumulator's type.
#include <optional>

#include "coll/block_stream.h"
#include "coll/credit.h"
#include "coll/message_reduction.h"
#include "coll/payload.h"
#include "coll/window_algorithms.h"

namespace xcoll {

namespace {

// A block of all pieces fits half of a usual L2 together with what it is combined from; three are under way, and one
// more lets the writer run ahead.
constexpr size_t longest_block = size_t{64} << 10;

class TwoShot : public BlockStream {
public:
    TwoShot(Team &team_, const Op &op_, const Fingerprint &call_, uint64_t n_) : BlockStream(team_, op_, call_, n_) {
        plan_for_ring(longest_block, scans(op) ? 1 : 0);
        cut_in_pieces();
        if (scans(op) && sums_are_wider(op)) {
            sums_.emplace(*team.scratch, 2 * sum_bytes(op, piece_count_));
        }
    }
    // Of a reduce the root, of a scan all but the first rank, whose result needs its own input alone.
    bool collects() const {
        return scans(op) ? window.rank() > 0 : op.kind == Kind::allreduce || op.root == window.rank();
    }

    void write_in(uint64_t k) const {
        char *mine = block(window.rank(), k);
        for (int q = 0; q < window.size(); ++q) {
            const Piece p = piece(k, q);
            if (q != window.rank() && p.count > 0) {
                writing().copy(*team.kernels, mine + bytes(p.first), send_at(first(k) + p.first), bytes(p.count));
            }
        }
        publish_in(k + 1);
    }

    void combine(uint64_t k) {
        const Piece p = piece(k, window.rank());
        if (p.count > 0 && scans(op)) {
            scan(k, p);
        } else if (p.count > 0) {
            reduce(k, p);
        }
        publish_out(k + 1);
    }

    void collect(uint64_t k) const {
        const int own = op.kind == Kind::exscan ? 0 : 1;
        for (int i = own; collects() && i < window.size(); ++i) {
            const int q = (window.rank() + i) % window.size(); // each rank begins elsewhere
            const Piece p = piece(k, q);
            if (p.count > 0) {
                window.reading().copy(*team.kernels, recv_at(first(k) + p.first), result(q, window.rank(), k, p),
                                      bytes(p.count));
            }
        }
        publish_used(k + 1);
    }
    void combine_alone() const {
        if (op.kind == Kind::scan && window.rank() == 0) {
            reduce_one(team, Stage::whole, op, op.recv, op.send, op.count);
        }
    }

private:
    // Of block k, of one for each rank, in elements from the block's begin.
    struct Piece {
        size_t first, count;
    };
    // Elements from the message's begin.
    size_t first(uint64_t k) const {
        return k * block_count();
    }
    Piece piece(uint64_t k, int q) const {
        const size_t total = std::min(block_count(), op.count - first(k));
        const size_t longest = k + 1 == blocks() ? last_piece_count_ : piece_count_;
        const size_t begin = std::min(static_cast<size_t>(q) * longest, total);
        return {begin, std::min(longest, total - begin)};
    }
    // The results of a scan must fit as well. What the last block holds is for all ranks, however little it is.
    void cut_in_pieces() {
        const auto ranks = static_cast<size_t>(team.size);
        piece_count_ = even_piece(block_count(), team.size, bytes(1));
        if (scans(op) && piece_count_ * ranks > block_count()) {
            piece_count_ = block_count() / ranks; // one at least: few_enough_for_scans()
            set_block_count(piece_count_ * ranks);
        }
        if (blocks() > 0) {
            const size_t last = op.count - first(blocks() - 1);
            last_piece_count_ = std::min(even_piece(last, team.size, bytes(1)), piece_count_);
        }
    }
    const void *input(int p, uint64_t k, const Piece &at) const {
        return p == window.rank() ? send_at(first(k) + at.first) : block(p, k) + bytes(at.first);
    }
    // What rank q has combined for a reader: where its own input would lie, or behind the inputs.
    char *result(int q, int reader, uint64_t k, const Piece &at) const {
        return scans(op) ? block(q, k) + block_bytes() + static_cast<size_t>(reader) * bytes(piece_count_)
                         : block(q, k) + bytes(at.first);
    }

    // Into the user's buffer first, where it is in the cache for the copy that the others read.
    void reduce(uint64_t k, const Piece &at) {
        const bool mine = collects();
        char *shown = result(window.rank(), -1, k, at);
        char *to = mine ? recv_at(first(k) + at.first) : shown;
        check(combine_all(team, op, to, window.scratch(), at.count, [&](int q) { return input(q, k, at); }));
        if (op.kind == Kind::allreduce) {
            writing().copy(*team.kernels, shown, to, bytes(at.count));
        }
    }

    // The sum of ranks 0 .. p, for p and behind it.
    void scan(uint64_t k, const Piece &at) {
        const int behind = op.kind == Kind::exscan ? 1 : 0;
        const void *sum = input(0, k, at);
        if (sums_) {
            reduce_one(team, Stage::lift, op, sums_->data(), sum, at.count);
        }
        if (behind && window.size() > 1) {
            reduce_one(team, Stage::whole, op, place_for(1, k, at), sum, at.count);
        }
        for (int p = 1; p + behind < window.size(); ++p) {
            sum = add(sum, input(p, k, at), k, at, p + behind);
        }
    }
    // Of an exscan not even into the own buffer, which may hold the input that is needed next.
    char *place_for(int reader, uint64_t k, const Piece &at) const {
        const bool direct = reader == window.rank() && op.kind == Kind::scan;
        return direct ? recv_at(first(k) + at.first) : result(window.rank(), reader, k, at);
    }
    const void *add(const void *sum, const void *next, uint64_t k, const Piece &at, int reader) const {
        char *to = place_for(reader, k, at);
        if (!sums_) {
            reduce_pair(team, Stage::whole, op, to, sum, next, at.count);
            return to;
        }
        char *wide = sums_->data(), *widened = wide + sum_bytes(op, piece_count_);
        reduce_one(team, Stage::lift, op, widened, next, at.count);
        reduce_pair(team, Stage::carry, op, wide, wide, widened, at.count);
        reduce_one(team, Stage::lower, op, to, wide, at.count);
        return sum;
    }

    size_t piece_count_ = 0, last_piece_count_ = 0;
    std::optional<Scratch> sums_; // the sum so far, and what is added next
};

Task pipeline(TaskHome &, TwoShot &s) {
    const uint64_t blocks = s.blocks();
    for (uint64_t k = 0; k < blocks + 2; ++k) {
        if (k < blocks) {
            for (int p = 0; k >= s.depth() && p < s.window.size(); ++p) {
                co_await s.used(p, k - s.depth() + 1);
                s.check(s.used(p, 0));
            }
            s.write_in(k);
        }
        if (k >= 1 && k - 1 < blocks) {
            for (int p = 0; p < s.window.size(); ++p) {
                co_await s.in(p, k);
                s.check(s.in(p, 0));
            }
            s.combine(k - 1);
        }
        if (k >= 2) {
            for (int p = 0; s.collects() && p < s.window.size(); ++p) {
                co_await s.out(p, k - 1);
                s.check(s.out(p, 0));
            }
            s.collect(k - 2);
        }
    }
    s.finish();
}

} // namespace

bool few_enough_for_scans(Window &window) {
    const size_t block = window.node().ring().bytes() / 2 / BlockStream::least_depth / 2;
    return static_cast<size_t>(window.size()) * UserOperator::most_scalar_bytes <= std::min(block, longest_block);
}

Task reduce_two_shot(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    TwoShot s(team, op, call, n);
    const uint64_t ahead = most_ahead(*team.window, op.bytes());
    if (!team.window->has_credit(n, ahead)) {
        co_await acquire_credit(home, *team.window, n, ahead);
    }
    s.enter(true);
    for (int p = 0; p < team.size; ++p) {
        co_await team.window->entered(p, n);
    }
    const bool room = s.settle();
    if (s.is_shared()) {
        co_await reduce_shared(home, team, op, call, n);
    } else if (room) {
        co_await pipeline(home, s);
        s.combine_alone();
    } else {
        co_await reduce_in_slots(home, team, op, call, n);
    }
}

} // namespace xcoll

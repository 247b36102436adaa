// A reduction of buffers that lie in memory which all ranks map: everybody combines one piece of all inputs where they
// lie, and writes it into all results. Nothing is copied in, and nothing collected.
//
//     rank 0   a0+b0+c0 -> results 0, 1, 2 | done |
//     rank 1   a1+b1+c1 -> results 0, 1, 2 | done | wait for all: nobody reads my input or writes my result any more
//     rank 2   a2+b2+c2 -> results 0, 1, 2 | done |
//
// Agreed: all heads are there, and all offer their buffers. How an algorithm goes on (block_stream.h), not one to
// choose. In place is no exception: a piece is read and written by one rank alone. Of a reduce the pieces go to the
// root alone; of a reduce-scatter each rank's piece is its own result. Cost per rank: alpha for `done`, S beta of
// reading (P inputs of S/P) and S beta of writing. Order: coll/reduction.h. Each element is combined by one rank alone.
#include "coll/block_stream.h"
#include "coll/window_algorithms.h"
#include "fabric/visit.h"

namespace xcoll {

namespace {

// What is combined into the own result is still in the nearest cache for the copies to the others.
constexpr size_t longest_block = size_t{16} << 10;

class Shared {
public:
    Shared(Team &team, const Op &op, uint64_t n) : team_(team), window_(*team.window), op_(op), n_(n) {
        piece_ = scatters(op) ? result_of(op, team.rank) : my_piece();
    }
    Until done(int p) const {
        return {&window_.cell(p, n_).out, window_.head(p, n_).place.base + 1, p};
    }
    void combine() {
        if (team_.size > 1) {
            window_.count_lent();
        }
        const size_t longest = std::max<size_t>(Visit::piece / element_bytes(op_), 1);
        for (size_t at = 0; at < piece_.count && result_ == XCOLL_SUCCESS; at += longest) {
            visit({piece_.first + at, std::min(longest, piece_.count - at)});
        }
        if (result_ == XCOLL_SUCCESS) [[likely]] {
            publish(window_.my_cell(n_).out);
        } else {
            window_.break_off(n_);
        }
    }
    // Everybody is done. Throws what a user's function says, here or elsewhere.
    void finish() const {
        int broken = -1;
        for (int p = 0; p < team_.size; ++p) {
            broken = window_.is_broken(p, n_, window_.cell(p, n_).out) ? p : broken;
        }
        if (broken < 0) [[likely]] {
            publish(window_.my_cell(n_).in);
            publish(window_.my_cell(n_).used);
            window_.complete(n_);
            return;
        }
        window_.leave(n_);
        if (result_ != XCOLL_SUCCESS) {
            fail_operator(team_, op_, result_);
        }
        window_.fail_broken(broken, n_);
    }

private:
    Stretch my_piece() const {
        const size_t each = even_piece(op_.count, team_.size, element_bytes(op_));
        const size_t first = std::min(static_cast<size_t>(team_.rank) * each, op_.count);
        return {first, std::min(each, op_.count - first)};
    }
    // Throws what a peer says that has given up, and takes its buffers back.
    void visit(const Stretch &piece) {
        const Visit visit(window_);
        for (int p = 0; p < team_.size; ++p) {
            visit.check(p);
        }
        const size_t block = std::max<size_t>(longest_block / element_bytes(op_), 1);
        for (size_t at = 0; at < piece.count && result_ == XCOLL_SUCCESS; at += block) {
            result_ = combine_block({piece.first + at, std::min(block, piece.count - at)});
        }
    }
    xcoll_result_t combine_block(const Stretch &block) {
        const size_t at = block.first * element_bytes(op_), bytes = block.count * element_bytes(op_);
        const bool to_root = op_.kind == Kind::reduce;
        char *to = scatters(op_) ? static_cast<char *>(op_.recv) + at - piece_.first * element_bytes(op_)
                                 : recv_of(to_root ? op_.root : team_.rank) + at;
        const xcoll_result_t result =
            combine_all(team_, op_, to, window_.scratch(), block.count, [&](int p) { return send_of(p) + at; });
        for (int turn = 1; op_.kind == Kind::allreduce && turn < team_.size; ++turn) {
            const int p = (team_.rank + turn) % team_.size; // each rank begins elsewhere
            window_.ring_writing().copy(*team_.kernels, recv_of(p) + at, to, bytes);
        }
        return result;
    }
    const char *send_of(int p) const {
        const Head &head = window_.head(p, n_);
        return window_.lent(p, head, head.place.send);
    }
    char *recv_of(int p) const {
        const Head &head = window_.head(p, n_);
        return window_.lent(p, head, head.place.recv);
    }
    void publish(Signal &counter) const {
        window_.publish(counter, window_.head(team_.rank, n_).place.base + 1);
    }
    Team &team_;
    Window &window_;
    const Op &op_;
    uint64_t n_;
    Stretch piece_{};
    xcoll_result_t result_ = XCOLL_SUCCESS;
};

} // namespace

Task reduce_shared(TaskHome &, Team &team, const Op &op, const Fingerprint &, uint64_t n) {
    Shared s(team, op, n);
    s.combine();
    for (int p = 0; p < team.size; ++p) {
        co_await s.done(p);
    }
    s.finish();
}

} // namespace xcoll

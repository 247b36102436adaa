// Pairs of ranks exchange all they have and add it up, then pairs of pairs, and so on: the hypercube.
//
//     6 ranks:  4 and 2 extra    fold     0<1   2<3    4     5      the odd ones of the first 2 * extra ranks hand
//                                round 0   0 <-> 2    4 <-> 5       theirs to their neighbours and wait;
//                                round 1   0 <-> 4    2 <-> 5
//                                unfold   0>1   2>3                 then they get the result
//
// Order of additions: the balanced tree over the ranks (coll/tree.h). Both partners of a pair compute (sum of the
// lower ranks) + (sum of the upper ranks), the same numbers in the same order, so every rank has the same bits.
// Cost: ceil(log2 P) (alpha + S beta), two more if P is no power of two. Wins for short messages, where alpha counts;
// the ring moves fewer bytes. In half precision sums travel as float: S doubles.
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"
#include "coll/message_reduction.h"
#include "coll/tree.h"

namespace xcoll {

namespace {

// The plan and the plain steps. `sum_` is where this rank's sum is, or its data as long as that is all there is.
class Doubling {
public:
    Doubling(const Team &team, const Op &op, char *scratch)
        : team_(team), op_(op), received_(scratch), wide_(scratch + wide_offset(op)), shape_(TreeShape::of(team.size)),
          sum_(op.send) {
    }
    static size_t scratch_bytes(const Op &op) {
        return sums_are_wider(op) ? 2 * wide_offset(op) : wide_offset(op);
    }

    // Ranks that only hand over their data and get the result.
    bool is_folded() const {
        return team_.rank < 2 * shape_.extra && team_.rank % 2 == 1;
    }
    // Ranks that have taken in their right neighbour's data.
    bool has_folded() const {
        return team_.rank < 2 * shape_.extra && team_.rank % 2 == 0;
    }
    int corners() const {
        return shape_.corners;
    }
    int partner(int distance) const {
        const int corner = has_folded() ? team_.rank / 2 : team_.rank - shape_.extra;
        return shape_.first(corner ^ distance);
    }

    size_t data_bytes() const {
        return op_.bytes();
    }
    size_t bytes() const {
        return sum_bytes(op_, op_.count);
    }
    char *received() const {
        return received_;
    }
    const void *sum() const {
        return sum_;
    }

    // The right neighbour's data has come.
    void fold() {
        reduce_pair(team_, Stage::lift, op_, own_sum(), op_.send, received_, op_.count);
        sum_ = own_sum();
    }
    // Corners that have nothing to fold send float as well, if sums are float.
    void lift() {
        if (sums_are_wider(op_)) {
            reduce_one(team_, Stage::lift, op_, wide_, op_.send, op_.count);
            sum_ = wide_;
        }
    }
    void combine(int distance) {
        const bool last = distance * 2 == shape_.corners;
        const bool is_lower = team_.rank < partner(distance);
        void *out = last ? op_.recv : own_sum();
        reduce_pair(team_, last ? Stage::lower : Stage::carry, op_, out, is_lower ? sum_ : received_,
                    is_lower ? received_ : sum_, op_.count);
        sum_ = out;
    }

private:
    static size_t wide_offset(const Op &op) {
        return (sum_bytes(op, op.count) + line_bytes - 1) / line_bytes * line_bytes;
    }
    char *own_sum() const {
        return sums_are_wider(op_) ? wide_ : static_cast<char *>(op_.recv);
    }

    const Team &team_;
    const Op &op_;
    char *received_, *wide_;
    TreeShape shape_;
    const void *sum_;
};

// One message each way.
Task exchange(TaskHome &home, MessageOperation &operation, int peer, const void *out, void *in, size_t bytes) {
    const Ticket arriving = operation.recv(peer, in, bytes);
    const Ticket leaving = operation.send(peer, out, bytes);
    co_await settle(home, operation, peer, arriving);
    co_await settle(home, operation, peer, leaving);
}

Task send_to(TaskHome &home, MessageOperation &operation, int peer, const void *data, size_t bytes) {
    const Ticket leaving = operation.send(peer, data, bytes);
    co_await settle(home, operation, peer, leaving);
}

Task receive_from(TaskHome &home, MessageOperation &operation, int peer, void *data, size_t bytes) {
    const Ticket arriving = operation.recv(peer, data, bytes);
    co_await settle(home, operation, peer, arriving);
}

} // namespace

Task allreduce_doubling(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Scratch scratch(*team.scratch, Doubling::scratch_bytes(op));
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    Doubling d(team, op, scratch.data());
    if (d.is_folded()) {
        co_await send_to(home, operation, team.rank - 1, op.send, d.data_bytes());
        co_await receive_from(home, operation, team.rank - 1, op.recv, d.data_bytes());
        operation.end();
        co_return;
    }
    if (d.has_folded()) {
        co_await receive_from(home, operation, team.rank + 1, d.received(), d.data_bytes());
        d.fold();
    } else {
        d.lift();
    }
    for (int distance = 1; distance < d.corners(); distance *= 2) {
        co_await exchange(home, operation, d.partner(distance), d.sum(), d.received(), d.bytes());
        d.combine(distance);
    }
    if (team.size == 1) {
        reduce_one(team, Stage::whole, op, op.recv, op.send, op.count);
    }
    if (d.has_folded()) {
        co_await send_to(home, operation, team.rank + 1, op.recv, d.data_bytes());
    }
    operation.end();
}

} // namespace xcoll

// Blocks travel around the ring: once to be added up, once more to be handed out.
//
//     3 ranks, rank r sends in step k the block (r - k) mod 3, to rank r + 1
//
//     step      rank 0 sends   rank 1 sends   rank 2 sends      reduce-scatter: a sum grows by one rank in each step
//       0       a0             b1             c2
//       1       c2+c0          a0+a1          b1+b2             rank r finishes block r + 1
//       2       b1+b2+b0       c2+c0+c1       a0+a1+a2          all-gather: finished blocks go round as they are
//       3       a              b              c
//
// Order of additions: block b is added up from rank b around to rank b - 1, by one rank after the other, and finished
// on one rank alone, so every rank has the same bits. In half precision what is not finished travels as float.
//
// The message is cut into pieces that go around one after the other, each block of a piece into segments, so that while
// one segment is added up the next ones are under way. All messages of a rank form one numbered sequence:
// i = (piece * steps + step) * segments + segment. Message i + segments goes on with what message i brought, so:
//
//     post receives and sends 0 .. segments-1
//     for every i:   wait for receive i, add it up     A
//                    post send i + segments
//                    wait for send i                   B
//                    post receive i + segments, where the data of send i has left
//
// No deadlock, even if a send is over only once its receiver has come for it: A needs the left neighbour to have
// posted its send i, B the right one its receive i; both were posted in their turns i - segments or at the start. By
// induction over i nobody waits for ever.
// In place: an input is overwritten by the finished block P - 1 steps or more after it was sent, hence after B.
//
// Cost: 2 (P - 1) (alpha + S/P beta). It moves the fewest bytes of all, 2 S (P-1)/P per rank, and wins for long
// messages; short ones pay alpha 2 (P - 1) times (allreduce_doubling.cpp).
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"
#include "coll/message_reduction.h"

#include <algorithm>

namespace xcoll {

namespace {

// A segment is long enough to hide alpha and short enough to stay in the L2 between its arrival and its departure.
constexpr size_t segment_bytes = size_t{128} << 10;
constexpr size_t least_segment_bytes = size_t{8} << 10;
constexpr uint64_t most_segments = 4;

struct Part {
    size_t first, count;
};
// Part i of `parts` as equal ones as possible, of elements [first, first + count).
Part part(const Part &whole, uint64_t parts, uint64_t i) {
    const size_t each = whole.count / parts, rest = whole.count % parts;
    return {whole.first + i * each + std::min(i, rest), each + (i < rest ? 1 : 0)};
}

uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b ? 1 : 0);
}

// How the message is cut: a function of what all ranks know.
struct Cut {
    Cut(const Team &team, const Op &op)
        : ranks(static_cast<uint64_t>(team.size)), steps(2 * (ranks - 1)), whole{0, op.count} {
        const size_t element_bytes = size_of(accumulator_of(op.dtype));
        const uint64_t block_bytes = divide_up(op.count, ranks) * element_bytes;
        segments = std::clamp<uint64_t>(block_bytes / least_segment_bytes, 1, most_segments);
        const uint64_t longest = segment_bytes / element_bytes;
        pieces = std::max<uint64_t>(1, divide_up(op.count, ranks * segments * longest));
        const uint64_t in_piece = divide_up(op.count, pieces);
        slot_bytes = divide_up(divide_up(in_piece, ranks), segments) * element_bytes;
        slot_bytes = divide_up(slot_bytes, line_bytes) * line_bytes;
    }
    uint64_t messages() const {
        return pieces * steps * segments;
    }
    uint64_t step(uint64_t i) const {
        return i / segments % steps;
    }
    // The elements that message i is about, on the rank that sends it.
    Part elements(uint64_t i, uint64_t sender) const {
        const Part piece = part(whole, pieces, i / segments / steps);
        return part(part(piece, ranks, (sender + 2 * ranks - step(i)) % ranks), segments, i % segments);
    }

    uint64_t ranks, steps;
    Part whole;
    uint64_t segments = 1, pieces = 1;
    size_t slot_bytes = 0; // the most that a segment needs as sums
};

// What the messages of one rank need: tickets and slots for twice as many messages as are under way.
class RingSteps {
public:
    RingSteps(const Team &team, const Op &op, const Cut &cut, MessageOperation &operation, char *scratch)
        : team_(team), op_(op), cut_(cut), operation_(operation), rank_(static_cast<uint64_t>(team.rank)),
          right_((team.rank + 1) % team.size), left_((team.rank + team.size - 1) % team.size),
          arriving_(reinterpret_cast<Ticket *>(scratch)), leaving_(arriving_ + depth(cut)),
          slots_(scratch + ticket_bytes(cut)) {
    }
    static size_t scratch_bytes(const Op &op, const Cut &cut) {
        return ticket_bytes(cut) + (sums_are_wider(op) ? 2 : 1) * depth(cut) * cut.slot_bytes;
    }

    void start() {
        for (uint64_t i = 0; i < std::min(cut_.segments, cut_.messages()); ++i) {
            receive(i);
            send(i);
        }
    }
    int right() const {
        return right_;
    }
    int left() const {
        return left_;
    }
    const Ticket &arriving(uint64_t i) const {
        return arriving_[i % depth(cut_)];
    }
    const Ticket &leaving(uint64_t i) const {
        return leaving_[i % depth(cut_)];
    }
    // Message i is there: adds it up and sends on what depends on it.
    void arrived(uint64_t i) {
        operation_.finish(arriving(i));
        if (is_sum(i)) {
            add(i);
        }
        if (i + cut_.segments < cut_.messages()) {
            send(i + cut_.segments);
        }
    }
    // Message i has left: what it lay in can be filled again.
    void left_here(uint64_t i) {
        operation_.finish(leaving(i));
        if (i + cut_.segments < cut_.messages()) {
            receive(i + cut_.segments);
        }
    }

private:
    static uint64_t depth(const Cut &cut) {
        return 2 * cut.segments;
    }
    static size_t ticket_bytes(const Cut &cut) {
        return divide_up(2 * depth(cut) * sizeof(Ticket), line_bytes) * line_bytes;
    }
    // What message i brings has to be added to this rank's data.
    bool is_sum(uint64_t i) const {
        return cut_.step(i) < cut_.ranks - 1;
    }
    bool is_last_sum(uint64_t i) const {
        return cut_.step(i) == cut_.ranks - 2;
    }
    // Users' data goes into the first step and comes out of the last sum as it is.
    bool travels_as_sum(uint64_t i) const {
        return cut_.step(i) > 0 && is_sum(i);
    }
    size_t bytes(uint64_t i, size_t count) const {
        return travels_as_sum(i) ? sum_bytes(op_, count) : count * size_of(op_.dtype);
    }
    char *slot(uint64_t i) const {
        return slots_ + i % depth(cut_) * cut_.slot_bytes;
    }
    // Where the sum lies that message i contributes to; the message itself lies in slot(i).
    char *sum(uint64_t i) const {
        return sums_are_wider(op_) ? slot(i) + depth(cut_) * cut_.slot_bytes : slot(i);
    }
    const char *input(size_t element) const {
        return static_cast<const char *>(op_.send) + element * size_of(op_.dtype);
    }
    char *output(size_t element) const {
        return static_cast<char *>(op_.recv) + element * size_of(op_.dtype);
    }

    void send(uint64_t i) {
        const Part p = cut_.elements(i, rank_);
        const void *data = output(p.first);
        if (cut_.step(i) == 0) {
            data = input(p.first);
        } else if (travels_as_sum(i)) {
            data = sum(i - cut_.segments);
        }
        leaving_[i % depth(cut_)] = operation_.send(right_, data, bytes(i, p.count));
    }
    void receive(uint64_t i) {
        const Part p = cut_.elements(i, rank_ + cut_.ranks - 1);
        char *data = is_sum(i) ? slot(i) : output(p.first);
        arriving_[i % depth(cut_)] = operation_.recv(left_, data, bytes(i, p.count));
    }
    // The sum so far comes from the left; this rank's data is added behind it.
    void add(uint64_t i) {
        const Part p = cut_.elements(i, rank_ + cut_.ranks - 1);
        const bool first = cut_.step(i) == 0, last = is_last_sum(i);
        void *out = last ? output(p.first) : sum(i);
        const void *mine = input(p.first);
        if (first) {
            reduce_pair(team_, last ? Stage::whole : Stage::lift, op_, out, slot(i), mine, p.count);
            return;
        }
        if (sums_are_wider(op_)) {
            reduce_one(team_, Stage::lift, op_, sum(i), mine, p.count);
            mine = sum(i);
        }
        reduce_pair(team_, last ? Stage::lower : Stage::carry, op_, out, slot(i), mine, p.count);
    }

    const Team &team_;
    const Op &op_;
    const Cut &cut_;
    MessageOperation &operation_;
    uint64_t rank_;
    int right_, left_;
    Ticket *arriving_, *leaving_;
    char *slots_;
};

} // namespace

Task allreduce_ring(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Cut cut(team, op);
    const Scratch scratch(*team.scratch, RingSteps::scratch_bytes(op, cut));
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    if (team.size == 1) {
        reduce_one(team, Stage::whole, op, op.recv, op.send, op.count);
        operation.end();
        co_return;
    }
    RingSteps ring(team, op, cut, operation, scratch.data());
    ring.start();
    co_await operation.entered(ring.left());
    operation.check(ring.left());
    co_await operation.entered(ring.right());
    operation.check(ring.right());
    for (uint64_t i = 0; i < cut.messages(); ++i) {
        co_await ring.arriving(i).until();
        ring.arrived(i);
        co_await ring.leaving(i).until();
        ring.left_here(i);
    }
    operation.end();
}

} // namespace xcoll

// The root tells half of the ranks through one of them, a quarter through another, and so on: a binomial tree.
//
//     8 ranks, numbered from the root on          0
//     the parent of v: v without its lowest one   |-- 4 -- 6 -- 7
//     its children: v + 2^k below that bit        |   `--- 5
//                                                 |-- 2 -- 3
//                                                 `-- 1
//
// Cost: ceil(log2 P) (alpha + S beta). Long messages go in segments, each passed on as soon as it is there, so the
// levels of the tree work at the same time: ceil(log2 P) alpha + S beta times the root's children.
// Wins for short messages and few ranks; the root sends S once for each of its children.
//
// Everybody receives segments in order and sends each to all children; at most `depth` are under way to each of them.
// No deadlock: a child needs only its parent, whose next send needs only that its children receive; there is no cycle
// in a tree.
//
// What does not lie together is packed by the root and unpacked by everybody else: S more bytes moved at both ends.
#include "coll/message_algorithms.h"
#include "coll/message_operation.h"
#include "coll/view_cursor.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace xcoll {

namespace {

constexpr size_t segment_bytes = size_t{128} << 10;
constexpr uint64_t depth = 4;

// The bytes that go through the tree.
class Message {
public:
    Message(Team &team, const Op &op)
        : team_(team), exchange_(op, team.rank, team.size), root_(op.root),
          bytes_(op.in ? op.in->bytes() : op.bytes()) {
        if (!op.in) {
            data_ = static_cast<char *>(op.recv);
            return;
        }
        data_ = packed_.emplace(*team.scratch, bytes_).data();
        if (team.rank == root_) {
            ViewCursor(exchange_, ViewCursor::Side::shared_out, -1).copy_to(*team.kernels, data_, bytes_);
        }
    }
    char *data() const {
        return data_;
    }
    size_t bytes() const {
        return bytes_;
    }
    void unpack() const {
        if (packed_ && team_.rank != root_) {
            ViewCursor(exchange_, ViewCursor::Side::shared_in, root_).copy_from(*team_.kernels, data_, bytes_);
        }
    }

private:
    Team &team_;
    const Exchange exchange_;
    int root_;
    size_t bytes_;
    std::optional<Scratch> packed_;
    char *data_;
};

class Tree {
public:
    Tree(const Team &team, const Op &op, const Message &message)
        : message_(message), root_(static_cast<unsigned>(op.root)), ranks_(static_cast<unsigned>(team.size)),
          number_((static_cast<unsigned>(team.rank) + ranks_ - root_) % ranks_),
          reach_(number_ == 0 ? std::bit_ceil(ranks_) : number_ & (0 - number_)) {
        for (unsigned bit = 1; bit < reach_ && number_ + bit < ranks_; bit *= 2) {
            ++children_;
        }
        segments_ = std::max<uint64_t>(1, message.bytes() / segment_bytes + (message.bytes() % segment_bytes ? 1 : 0));
    }
    bool is_root() const {
        return number_ == 0;
    }
    int parent() const {
        return rank_of(number_ & (number_ - 1));
    }
    unsigned children() const {
        return children_;
    }
    // The one with the most ranks behind it first.
    int child(unsigned i) const {
        return rank_of(number_ + (1u << (children_ - 1 - i)));
    }
    uint64_t segments() const {
        return segments_;
    }
    char *segment(uint64_t s) const {
        return message_.data() + s * segment_bytes;
    }
    size_t bytes(uint64_t s) const {
        return std::min(segment_bytes, message_.bytes() - s * segment_bytes);
    }

private:
    int rank_of(unsigned number) const {
        return static_cast<int>((number + root_) % ranks_);
    }

    const Message &message_;
    unsigned root_, ranks_, number_;
    unsigned reach_; // ranks number_ .. number_ + reach_ - 1 hear of it through this one
    unsigned children_ = 0;
    uint64_t segments_ = 1;
};

// Tickets of the segments under way, in scratch memory.
class Flow {
public:
    Flow(const Tree &tree, MessageOperation &operation, char *scratch)
        : tree_(tree), operation_(operation), arriving_(reinterpret_cast<Ticket *>(scratch)),
          leaving_(arriving_ + depth) {
    }
    static size_t scratch_bytes(const Tree &tree) {
        return (1 + tree.children()) * depth * sizeof(Ticket);
    }
    void start() {
        for (uint64_t s = 0; s < std::min(depth, tree_.segments()); ++s) {
            receive(s);
        }
    }
    const Ticket &arriving(uint64_t s) const {
        return arriving_[s % depth];
    }
    const Ticket &leaving(uint64_t s, unsigned child) const {
        return leaving_[s % depth * tree_.children() + child];
    }
    void arrived(uint64_t s) {
        operation_.finish(arriving(s));
        if (s + depth < tree_.segments()) {
            receive(s + depth);
        }
    }
    void send(uint64_t s) {
        for (unsigned i = 0; i < tree_.children(); ++i) {
            leaving_[s % depth * tree_.children() + i] =
                operation_.send(tree_.child(i), tree_.segment(s), tree_.bytes(s));
        }
    }

private:
    void receive(uint64_t s) {
        arriving_[s % depth] = operation_.recv(tree_.parent(), tree_.segment(s), tree_.bytes(s));
    }

    const Tree &tree_;
    MessageOperation &operation_;
    Ticket *arriving_, *leaving_;
};

Task all_have_left(TaskHome &home, const Tree &tree, MessageOperation &operation, const Flow &flow, uint64_t s) {
    for (unsigned i = 0; i < tree.children(); ++i) {
        co_await settle(home, operation, tree.child(i), flow.leaving(s, i));
    }
}

} // namespace

Task bcast_tree(TaskHome &home, Team &team, const Op &op, const Fingerprint &call, uint64_t n) {
    const Message message(team, op);
    const Tree tree(team, op, message);
    const Scratch scratch(*team.scratch, Flow::scratch_bytes(tree));
    MessageOperation operation(team, call, n);
    co_await enter(home, operation);
    Flow flow(tree, operation, scratch.data());
    if (!tree.is_root()) {
        flow.start();
        co_await operation.entered(tree.parent());
        operation.check(tree.parent());
    }
    for (uint64_t s = 0; s < tree.segments(); ++s) {
        if (!tree.is_root()) {
            co_await flow.arriving(s).until();
            flow.arrived(s);
        }
        if (s >= depth) {
            co_await all_have_left(home, tree, operation, flow, s - depth);
        }
        flow.send(s);
    }
    for (uint64_t s = tree.segments() - std::min(depth, tree.segments()); s < tree.segments(); ++s) {
        co_await all_have_left(home, tree, operation, flow, s);
    }
    message.unpack();
    operation.end();
}

} // namespace xcoll

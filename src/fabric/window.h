// Shared memory as a machine of its own: the ranks of a communicator that can load and store each other's memory
// (processes, threads, simulated ranks) and the boards that they show each other.
//
// Operations of a communicator are numbered 1, 2, 3, ... on every rank alike. Operation n uses one of `cells` cells, so
// its head overwrites that of n - cells. The rule that keeps this safe, whatever the operations are:
//
//     credit: before a rank writes anything of operation n it has seen done[p] >= n - cells for all p
//
// done[p] >= m says that p reads nothing of operations up to m any more. So nothing is overwritten that somebody
// still wants. Slots are a ring of slot_count in the same way, with a credit of n - slot_count.
// Why waiting for credit cannot deadlock: the lowest number that is unfinished anywhere needs credit only for lower
// numbers, which are finished everywhere; so its ranks can all write, and it finishes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "fabric/attached_messages.h"
#include "fabric/batons.h"
#include "fabric/board.h"
#include "fabric/copy_way.h"
#include "fabric/demotion.h"
#include "fabric/disagreement.h"
#include "fabric/doorbell.h"
#include "fabric/first_look.h"
#include "fabric/giving.h"
#include "fabric/node.h"
#include "fabric/short_ring.h"

namespace xcoll {

class Window {
public:
    // ranks[i] is the node-local rank of rank i of this communicator, boards[i] the offset of its board in its segment.
    // All ranks use the first so many cells of their boards, a power of two, at least 8.
    Window(Node &node, std::vector<int> ranks, const std::vector<uint64_t> &boards, int rank, CopyWay::Rule copies,
           uint64_t cells = cell_count);
    ~Window();
    Window(const Window &) = delete;
    Window &operator=(const Window &) = delete;

    int rank() const {
        return rank_;
    }
    int size() const {
        return size_;
    }
    Node &node() const {
        return node_;
    }
    int node_rank(int p) const {
        return ranks_[static_cast<size_t>(p)];
    }
    Board &mine() const {
        return *boards_[static_cast<size_t>(rank_)];
    }
    const Board &board(int p) const {
        return *boards_[static_cast<size_t>(p)];
    }
    // How many operations may be in flight at once.
    uint64_t cells() const {
        return cells_;
    }
    const Cell &cell(int p, uint64_t n) const {
        return board(p).cells[Board::cell_of(n, cells_)];
    }
    const Head &head(int p, uint64_t n) const {
        return cell(p, n).head;
    }
    // It may be there already: then its lines come meanwhile. If not, those that this rank has read stay as they are.
    // Inlined, as compilers leave out calls of functions that do nothing but fetch.
    [[gnu::always_inline]] void expect_head(int p, uint64_t n, size_t payload) const {
        const Head &next = head(p, n);
        __builtin_prefetch(&next);
        if (payload > first_line_bytes) {
            __builtin_prefetch(next.bytes + first_line_bytes);
        }
    }
    Cell &my_cell(uint64_t n) const {
        return mine().cells[Board::cell_of(n, cells_)];
    }
    // Where p writes a payload of operation n. Two ranks swap their slots after each turn of the ring of slots:
    //
    //     n        0 1   2 3   4 5   6 7
    //     rank 0   A B   C D   A B   C D      A, B lie in rank 0's segment, C, D in rank 1's
    //     rank 1   C D   A B   C D   A B
    //
    // So a rank writes the lines that it read last, which are in its own cache, instead of asking for those back that
    // the peer has read: on a Xeon with two L3s that halves the time of a payload. It is safe as ever: the credit of
    // operation n says that nobody uses any slot of n - slot_count any more, whosever it was, and the ranks of an
    // operation agree on n.
    char *slot(int p, uint64_t n) const {
        return slot(p, n, n / slot_count);
    }
    // The same for messages in several turns, each of which swaps the slots once more.
    char *slot(int p, uint64_t n, uint64_t turn) const {
        const uint64_t owner = static_cast<uint64_t>(p) ^ (turn & swaps_slots_);
        return slots_[owner] + n % slot_count * slot_room_;
    }
    size_t slot_room() const {
        return slot_room_;
    }
    bool has_wide_slots() const {
        return slot_room_ > slot_bytes;
    }
    bool swaps_slots() const {
        return swaps_slots_ != 0;
    }
    // What a head of p says: 0 is its slot, and anything else that is no baton an offset in its segment.
    char *place(int p, uint64_t n, uint64_t offset) const {
        if (offset == 0) {
            return slot(p, n);
        }
        return Batons::is_one(offset) ? batons_.at(offset) : at(p, offset);
    }
    Batons &batons() {
        return batons_;
    }
    ShortRing &short_ring() {
        return short_ring_;
    }
    uint64_t offset_of(const void *pointer) const {
        return static_cast<uint64_t>(static_cast<const char *>(pointer) - bases_[static_cast<size_t>(rank_)]);
    }
    char *at(int p, uint64_t offset) const {
        return bases_[static_cast<size_t>(p)] + offset;
    }

    // ---- credits
    uint64_t everyone_done() const { // as far as is known
        return everyone_done_;
    }
    // True if that is n - ahead or more.
    bool has_credit(uint64_t n, uint64_t ahead) const {
        return everyone_done_ + ahead >= n;
    }
    // What to wait for, peer by peer, when has_credit() says no; then got_credit().
    Until credit(int p, uint64_t n, uint64_t ahead) const {
        return {&board(p).done, n - ahead, p};
    }
    // Peers that are further than they had to be: the next operations need not look.
    void look_at_everyone();
    // The same as has_credit() after such a look, if there seems to be none.
    bool finds_credit(uint64_t n, uint64_t ahead) {
        if (!has_credit(n, ahead)) [[unlikely]] {
            look_at_everyone();
        }
        return has_credit(n, ahead);
    }
    // Who had to wait runs ahead of its readers, and writes all heads soon for which there is credit now. Their lines
    // come together then, and not each when its head is written: across two L3s of a Zen 4 scatters of 8 bytes from one
    // root take 0.09 us like that, and 0.15 without.
    void got_credit(uint64_t n);
    void saw_everyone(uint64_t done) {
        if (done > everyone_done_) {
            everyone_done_ = done;
        }
    }
    // The same from the boards themselves, by any thread, for memory that outlives an operation.
    bool everyone_completed(uint64_t n) const;

    // ---- heads
    Until entered(int p, uint64_t n) const {
        return {&head(p, n).number, n, p};
    }
    // Fills in what every head has. The caller adds the payload's place, then calls announce.
    Head &begin_head(uint64_t n, const Fingerprint &call) const {
        Head &head = my_cell(n).head;
        head.call = call;
        head.lag = static_cast<uint8_t>(n - 1 - done_);
        head.lent = Lent::no;
        head.asks = 0;
        head.turns = 0; // else who reads this as a stream would look for it where an earlier one was
        return head;
    }
    void announce(uint64_t n) const {
        publish(my_cell(n).head.number, n);
    }
    void announce_call(uint64_t n, const Fingerprint &call) const; // and nothing else
    // With a payload that was copied there; 0 bytes: there is none. Who only gives looks at no heads, from which it
    // would learn how far lines travel.
    void announce(uint64_t n, const char *payload, size_t bytes) {
        if (bytes > 0 && demotion_.is_allowed()) {
            measure_rarely(n);
        }
        publish(my_cell(n).head.number, n, payload, bytes);
    }
    // It will be written next, with such a payload perhaps: see first_look.h.
    void claim_head(uint64_t n, size_t payload) const {
        if (has_credit(n, cells())) { // otherwise peers may still read it
            const Head &head = my_cell(n).head;
            claim_line(&head);
            if (payload > first_line_bytes) {
                claim_line(head.bytes + first_line_bytes);
            }
        }
    }
    // Before peers' heads are looked at that are published when this rank's is.
    void pause_before_look(uint64_t n) {
        if (size_ > 1) {
            first_look_.pause(entered(rank_ == 0 ? 1 : 0, n), n);
        }
    }
    void measure_rarely(uint64_t n) {
        if (size_ > 1) {
            first_look_.measure_rarely({&board(rank_ == 0 ? 1 : 0).done, 0, -1}, n);
        }
    }
    FirstLook &first_look() {
        return first_look_;
    }
    void publish(Signal &signal, uint64_t value) const {
        node_.doorbell().publish(signal, value);
    }
    void publish(Signal &signal, uint64_t value, const char *payload, size_t bytes) const {
        demotion_.before(payload, bytes);
        publish(signal, value);
        demotion_.behind(payload, bytes);
    }
    Demotion &demotion() {
        return demotion_;
    }
    Giving &giving() {
        return giving_;
    }
    // What the owner of a head had completed when it wrote it.
    static uint64_t done_by(const Head &head, uint64_t n) {
        return n - 1 - head.lag;
    }
    // Throws MISMATCH if p called something else. Its head has been waited for, and operation n not completed here:
    // p may rewrite the head as soon as it is.
    void check(int p, uint64_t n, const Fingerprint &mine) const {
        if (head(p, n).call != mine) [[unlikely]] {
            throw mismatch(n, rank_, mine, p, head(p, n).call);
        }
    }
    // The same for the algorithms of the window, which leave the operation then: peers that wait for this rank notice,
    // and the operation is complete.
    void check_or_leave(int p, uint64_t n, const Fingerprint &mine) {
        if (head(p, n).call != mine) [[unlikely]] {
            leave_mismatched(p, n, mine);
        }
    }

    // ---- counters of an operation in several steps: they start from `base` and everybody's end equal
    static uint64_t counter_base(const Cell &cell) {
        return cell.used.read();
    }
    // A rank that leaves operation n early lifts its counters over everything that a peer could wait for, by so much
    // that the peer can tell.
    static constexpr uint64_t broken_stride = uint64_t{1} << 40;
    void break_off(uint64_t n) const;
    void leave(uint64_t n); // and reads nothing of it any more
    bool is_broken(int p, uint64_t n, const Signal &counter) const {
        return counter.read() - head(p, n).place.base >= broken_stride;
    }
    // Throws why: what p says if it has given up, that it left the operation with an error otherwise.
    [[noreturn]] void fail_broken(int p, uint64_t n) const;

    // ---- end
    // This rank will read nothing of operation n any more. In any order; `done` tells the prefix that is complete.
    void complete(uint64_t n) {
        if (n != done_ + 1) {
            completed_early_ |= uint64_t{1} << (n - done_ - 1);
            return;
        }
        do {
            ++done_;
            completed_early_ >>= 1;
        } while (completed_early_ & 1);
        publish(mine().done, done_);
    }
    uint64_t done() const {
        return done_;
    }
    // Pointers for one reduction: filled and used within one step, so the tasks of a communicator share it.
    const void **scratch() {
        return scratch_.data();
    }

    // How this rank writes payloads on this communicator: into the ring, or into slots and batons, whose lines may be
    // nearer. And how it reads those of others.
    CopyWay &ring_writing() {
        return ring_writing_;
    }
    CopyWay &slot_writing() {
        return slot_writing_;
    }
    CopyWay &writing_to(uint64_t place) {
        if (place == 0) {
            return slot_writing_;
        }
        return Batons::is_one(place) ? baton_writing_ : ring_writing_;
    }
    CopyWay &reading() {
        return reading_;
    }
    // A payload that is written for readers who copy it: they are asked at times what that costs them, in the head.
    CopyOfMessage begin_copy(CopyWay &writing, uint64_t n, size_t bytes) {
        if (writing.asked() != 0) {
            hear_readers(writing);
        }
        const CopyOfMessage message = writing.begin(bytes);
        if (message.asks) {
            writing.ask(message, n);
        }
        return message;
    }
    bool is_asked(int writer, uint64_t n) const {
        return head(writer, n).asks != 0;
    }
    // Before this rank completes the operation.
    void tell(int writer, uint64_t n, uint64_t ticks, size_t bytes) const;

    // ---- buffers that peers use where they lie (coll/lending.h)
    // The smallest that this rank lends.
    size_t least_lent() const {
        return least_lent_;
    }
    void lend_from(size_t bytes);
    // Private ones as well, if all ranks are threads of one process.
    void lend_private();
    bool lends_private() const {
        return lends_private_;
    }
    const AttachedMessages &attached_messages() const {
        return attached_messages_;
    }
    void attach_messages(const AttachedMessages &which);
    bool shares_process(int p) const;
    // Where p says that something lies which it lends.
    char *lent(int p, const Head &head, uint64_t place) const;
    // One more operation in which peers used this rank's buffers where they lie. For people; read by any thread.
    void count_lent();
    uint64_t lent_count() const {
        return lent_.load(std::memory_order_relaxed);
    }
    void recall() const; // after the farewell: returns when no peer uses what this rank lent any more
    // For messages, as long as my board. Throws SYSTEM if there is none, as who waits for them could not even be told.
    uint64_t take_memory(size_t bytes);
    uint64_t take_blocks(); // for messages (node.h); 0: there are none

    // ---- giving up and going away
    // Its board goes back with it, unless whoever took that has yet to see everything made.
    void keep_board(bool keeps) {
        keeps_board_ = keeps;
    }
    void say_farewell(const Failure &why) const;
    // Throws what a peer said, if one did.
    void check_farewells() const;
    // Freed by its user: this rank starts nothing on it any more.
    void close() const;
    // All peers have closed theirs or at least need nothing of mine any more: the board's memory can be reused.
    bool everyone_closed() const;

private:
    // What a peer said, and which one; nullptr if none did.
    const Farewell *find_farewell(int &rank) const;
    [[noreturn]] void leave_mismatched(int p, uint64_t n, const Fingerprint &mine);
    void find_slots();
    void hear_readers(CopyWay &writing) const;

    Node &node_; // outlives its windows
    std::vector<int> ranks_;
    std::vector<Board *> boards_;
    std::vector<char *> bases_;
    std::vector<uint64_t> generations_;
    std::vector<const void *> scratch_;
    std::vector<std::pair<uint64_t, size_t>> memory_; // offsets and sizes
    CopyWay ring_writing_, slot_writing_, baton_writing_, reading_;
    FirstLook first_look_;
    Demotion demotion_{first_look_};
    Giving giving_;
    size_t least_lent_ = ~size_t{0};
    AttachedMessages attached_messages_;
    bool lends_private_ = false;
    bool keeps_board_ = true;
    std::atomic<uint64_t> lent_{0};
    uint64_t everyone_done_ = 0;
    uint64_t done_ = 0;
    uint64_t completed_early_ = 0; // bit i: done_ + 1 + i is complete
    static_assert(cell_count <= 64 && (cell_count & (cell_count - 1)) == 0);
    const uint64_t cells_;
    int rank_, size_;
    size_t slot_room_ = slot_bytes;
    uint64_t swaps_slots_;      // 1 for two ranks, else 0
    std::vector<char *> slots_; // by owner
    Batons batons_;
    ShortRing short_ring_;
};

} // namespace xcoll

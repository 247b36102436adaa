// Everybody shows all it has to give at once, everybody reads what it needs of it.
//
//     rank 0   write a | publish |        | read b, c | a+b+c
//     rank 1   write b | publish | wait   | read a, c | a+b+c        allreduce: everybody reads everything
//     rank 2   write c | publish |        | read a, b | a+b+c        all-to-all: everybody reads its block of each
//                                                                    gather: only the root reads, and the others leave
//                                                                    bcast: only the root shows, and leaves
// One round: the cost is one line transfer for the head, then the payloads: alpha + S_in beta of reading per rank.
// Wins for small messages (all that is read together fits the caches), and for two ranks up to where the copies spill.
// Serves every operation whose parts are equal blocks; what a rank shows, whom it waits for and what it makes of it are
// three small functions of the kind. Also the barrier (S = 0) and the exchange of a few words.
// Where data go one way, whoever gives runs ahead, and the lines of its next heads are fetched while this one is used:
// gathers of 8 bytes to one root across two L3s of a Zen 4 take 0.12 us like that, and 0.24 without.
// Order of additions: coll/reduction.h.
//
// Plain inline steps: the blocking call takes them one after the other (one_shot_now in core), the coroutine
// (one_shot.cpp) waits between them. They are always inlined, so that sizes and the fingerprint stay in registers: from
// memory that was written in other parts just before, they would come late.
#pragma once

#include <algorithm>

#include "coll/algorithm.h"
#include "coll/lending.h"
#include "coll/payload.h"
#include "coll/reduction.h"

namespace xcoll {

// `fixed`: the operation's kind where the compiler may know it, which makes each step a few instructions; there is no
// user's function then.
template <Kind fixed> class OneShotOf {
public:
    OneShotOf(Team &team, const Op &op, const Fingerprint &call, uint64_t n)
        : team_(team), window_(*team.window), op_(op), call_(call), n_(n), shown_(shown(op, team.rank, team.size)) {
    }
    // How many bytes a rank shows.
    [[gnu::always_inline]] static size_t shown(const Op &op, int rank, int ranks) {
        switch (kind(op)) {
        case Kind::alltoall:
        case Kind::reduce_scatter:
            return shown_blocks(op, ranks);
        case Kind::scatter:
            return rank == op.root ? shown_blocks(op, ranks) : 0;
        case Kind::bcast:
            return rank == op.root ? op.bytes() : 0;
        case Kind::gather:
        case Kind::reduce:
            return rank == op.root ? 0 : op.bytes();
        case Kind::scan:
        case Kind::exscan:
            return rank == ranks - 1 ? 0 : op.bytes();
        default:
            return op.bytes();
        }
    }
    // Where the bytes for a reader begin in what a rank gives.
    static size_t place_of(const Op &op, int reader) {
        if (has_blocks(kind(op))) {
            return static_cast<size_t>(reader) * op.bytes();
        }
        return kind(op) == Kind::reduce_scatterv ? result_begin(op, reader) * element_bytes(op) : 0;
    }
    // And in what it shows of that.
    static size_t place_in_shown(const Op &op, int reader, int writer, int ranks) {
        const bool closed_up = has_blocks(kind(op)) && reader > writer && shown_blocks(op, ranks) <= inline_bytes;
        return place_of(op, reader) - (closed_up ? op.bytes() : 0);
    }
    bool reads(int p) const {
        switch (kind(op_)) {
        case Kind::gather:
            return team_.rank == op_.root;
        case Kind::bcast:
        case Kind::scatter:
            return p == op_.root;
        case Kind::reduce:
        case Kind::scan:
        case Kind::exscan:
            return needs_input(op_, team_.rank, p);
        default:
            return true;
        }
    }
    uint64_t credit() const {
        return credit_for(window_, kind(op_), shown_);
    }
    // The first rank, of those from `begin` on, whose head is not there yet; -1: there is none.
    int missing(int begin) const {
        for (int p = begin; p < team_.size; ++p) {
            if (p != team_.rank && reads(p) && !window_.entered(p, n_).reached()) {
                return p;
            }
        }
        return -1;
    }
    // False, nothing being announced, if there is no room: the operation has another way to show (streams.h,
    // block_stream.h).
    [[gnu::always_inline]] bool enter() const {
        if (fits_head(shown_)) {
            put_in_head(window_.my_cell(n_).head); // before the rest of its first line (small_copy.h)
            window_.begin_head(n_, call_).has_room = 1;
        } else if (!put(window_.begin_head(n_, call_))) [[unlikely]] {
            return false;
        }
        window_.announce(n_);
        if (trades_lines()) {
            window_.claim_head(n_ + 1, shown_);
        } else if (shown_ == 0) { // who only takes may be the one who gives next, where roots take turns
            window_.claim_head(n_ + 1, op_.bytes());
        }
        return true;
    }
    // Entered; peers' heads are looked at next.
    [[gnu::always_inline]] void pause_before_look(FirstLook::Since since) const {
        if (trades_lines()) {
            window_.pause_before_look(n_, since);
        }
    }
    // All heads are there. False: somebody had no room for its payload, or lends its buffers; the operation goes on in
    // another way (behind_one_shot). Throws MISMATCH or what a user's function says, the operation being complete then.
    [[gnu::always_inline]] bool finish() const {
        const std::vector<int> &order = team_.grouping.order;
        const void **data = window_.scratch();
        const size_t room = slot_room_for(window_, kind(op_));
        bool is_whole = true, everyone = true;
        uint64_t done = window_.done();
        for (size_t i = 0; i < order.size(); ++i) {
            const int p = order[i];
            const size_t at = adds_in_order() ? i : static_cast<size_t>(p);
            if (p == window_.rank()) {
                data[at] = op_.send ? static_cast<const char *>(op_.send) + place_of(op_, p) : nullptr;
                is_whole &= shows_own();
                continue;
            }
            if (!reads(p)) {
                everyone = false;
                continue;
            }
            if (goes_one_way()) {
                window_.expect_head(p, n_ + looks_ahead);
            }
            const Head &head = window_.head(p, n_);
            window_.check_or_leave(p, n_, call_);
            is_whole &= is_shown(head);
            done = std::min(done, Window::done_by(head, n_));
            data[at] = window_.payload(p, n_, shown(op_, p, team_.size), room) +
                       place_in_shown(op_, team_.rank, p, team_.size);
        }
        if (everyone) {
            window_.saw_everyone(done);
        }
        if (!is_whole) [[unlikely]] {
            return false;
        }
        const xcoll_result_t result = combine(data);
        window_.complete(n_);
        if (result != XCOLL_SUCCESS) [[unlikely]] {
            fail_operator(team_, op_, result);
        }
        return true;
    }

private:
    static Kind kind(const Op &op) {
        return fixed == Kind::none ? op.kind : fixed;
    }
    static bool has_blocks(Kind kind) {
        return traits(kind).blocks;
    }
    // The rank's own is left out, and the others close up, where they fit the head then.
    static size_t shown_blocks(const Op &op, int ranks) {
        const size_t others = op.bytes() * static_cast<size_t>(ranks - 1);
        return others <= inline_bytes ? others : others + op.bytes();
    }
    // Who only gives may be several operations ahead of who only takes: as far as its credit goes.
    static constexpr uint64_t looks_ahead = 2;
    bool goes_one_way() const {
        return traits(kind(op_)).one_way;
    }
    bool trades_lines() const {
        return !goes_one_way() && is_traded(shown_);
    }
    // What every rank gets another part of has a part for this rank itself, which nobody reads there.
    bool leaves_out_own() const {
        return has_blocks(kind(op_)) || kind(op_) == Kind::reduce_scatterv;
    }
    // Whether this rank, which has entered, shows all that it gives. Small messages do. Its own head is not looked at
    // without need: once a peer has read that line, it comes back late. Across two L3s of a Zen 3 an allreduce of 8
    // bytes takes 0.52 us with the look and 0.39 without.
    bool shows_own() const {
        return shown_ < window_.least_lent() || is_shown(window_.head(team_.rank, n_));
    }
    // In a place that nobody has to give back.
    static bool is_shown(const Head &head) {
        return head.has_room != 0 && head.lent == Lent::no;
    }
    // Without a copy, if the buffers can be lent.
    bool put_lent(Head &head) const {
        const bool reduces = op_.kind == Kind::allreduce || scatters(op_);
        if (reduces && can_offer(team_, op_)) {
            payload_place(window_, head, n_, op_.kind, shown_); // for the case that not all do
            offer(team_, op_, head);
            return true;
        }
        if (traits(op_.kind).moves_data && can_lend_shown(window_, op_, shown_)) {
            head.has_room = 1;
            head.place.base = Window::counter_base(window_.my_cell(n_));
            lend(window_, head, op_.send);
            return true;
        }
        return false;
    }
    [[gnu::always_inline]] void put_in_head(Head &head) const {
        auto *to = reinterpret_cast<char *>(head.bytes);
        if (leaves_out_own()) {
            put_others(to, copy_small);
        } else {
            copy_small(to, op_.send, shown_);
        }
    }
    [[gnu::always_inline]] bool put(Head &head) const {
        if (shown_ >= window_.least_lent() && put_lent(head)) {
            return true;
        }
        if (shown_ == 0 || !leaves_out_own()) {
            return put_payload(window_, *team_.kernels, head, n_, kind(op_), shown_ > 0 ? op_.send : nullptr, shown_);
        }
        char *to = payload_place(window_, head, n_, kind(op_), shown_);
        if (!to) [[unlikely]] {
            return false;
        }
        PayloadCopy copy(window_, *team_.kernels, head, n_, kind(op_), shown_);
        put_others(to, [&](char *part, const void *from, size_t bytes) { copy.put(part, from, bytes); });
        return true;
    }
    // What lies before and behind the rank's own part, by copy(to, from, bytes).
    template <class Copy> [[gnu::always_inline]] void put_others(char *to, Copy copy) const {
        const auto *from = static_cast<const char *>(op_.send);
        const int next = team_.rank + 1;
        const size_t before = place_of(op_, team_.rank);
        const size_t behind = place_in_shown(op_, next, team_.rank, team_.size);
        if (before > 0) {
            copy(to, from, before);
        }
        if (behind < shown_) {
            copy(to + behind, from + place_of(op_, next), shown_ - behind);
        }
    }
    bool adds_in_order() const {
        switch (kind(op_)) {
        case Kind::allreduce:
        case Kind::reduce:
        case Kind::reduce_scatter:
        case Kind::reduce_scatterv:
            return op_.user == nullptr;
        default:
            return false;
        }
    }
    // data: of each rank; for sums in the order of additions, otherwise in the order of ranks.
    [[gnu::always_inline]] xcoll_result_t combine(const void *const *data) const {
        switch (kind(op_)) {
        case Kind::reduce:
            if (team_.rank != op_.root) {
                break;
            }
            [[fallthrough]];
        case Kind::allreduce:
        case Kind::reduce_scatter:
            if (fixed != Kind::none) {
                reduce_ordered(team_, op_, op_.recv, data, op_.count);
                break;
            }
            [[fallthrough]];
        case Kind::scan:
        case Kind::exscan:
            return combine_ordered(team_, op_, op_.recv, data, op_.count);
        case Kind::reduce_scatterv:
            return combine_ordered(team_, op_, op_.recv, data, op_.counts[team_.rank]);
        case Kind::gather:
            if (team_.rank != op_.root) {
                break;
            }
            [[fallthrough]];
        case Kind::words:
        case Kind::allgather:
        case Kind::alltoall:
            for (size_t p = 0; p < static_cast<size_t>(team_.size); ++p) {
                take(static_cast<char *>(op_.recv) + p * op_.bytes(), data[p], static_cast<int>(p));
            }
            break;
        case Kind::bcast:
        case Kind::scatter:
            take(op_.recv, data[op_.root], op_.root);
            break;
        default:
            break;
        }
        return XCOLL_SUCCESS;
    }
    void take(void *to, const void *from, int p) const {
        if (to == from) {
            return; // in place
        }
        if (op_.bytes() <= inline_bytes) {
            copy_small(to, from, op_.bytes());
        } else if (p == team_.rank) {
            team_.kernels->copy(to, from, op_.bytes());
        } else if (op_.bytes() < CopyWay::smallest || !window_.is_asked(p, n_)) {
            window_.reading().copy(*team_.kernels, to, from, op_.bytes());
        } else {
            const uint64_t start = ticks();
            window_.reading().copy(*team_.kernels, to, from, op_.bytes());
            window_.tell(p, n_, ticks() - start, op_.bytes());
        }
    }

    Team &team_;
    Window &window_;
    const Op &op_;
    const Fingerprint &call_;
    uint64_t n_;
    size_t shown_;
};
using OneShot = OneShotOf<Kind::none>;

} // namespace xcoll

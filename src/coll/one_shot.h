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
// Where data go one way, whoever gives runs ahead, and the lines of its next heads are fetched while this one is used,
// as they are claimed ahead (Window::got_credit): broadcasts and scatters of 8 bytes from one root across two L3s
// of a Zen 4 take 0.09 us like that, and 0.26 if heads are looked at when they are wanted.
// Order of additions: coll/reduction.h.
//
// Plain inline steps: the blocking call takes them one after the other (one_shot_now in core), a task
// (plain_task.h) waits between them. They are always inlined, so that sizes and the fingerprint stay in registers: from
// memory that was written in other parts just before, they would come late.
#pragma once

#include <algorithm>

#include "coll/algorithm.h"
#include "coll/lending.h"
#include "coll/payload.h"
#include "coll/shown.h"

namespace xcoll {

// `fixed`: the operation's kind where the compiler may know it, which makes each step a few instructions; there is no
// user's function then.
template <Kind fixed> class OneShotOf {
public:
    OneShotOf(Team &team, const Op &op, const Fingerprint &call, uint64_t n)
        : team_(team), window_(*team.window), op_(op), call_(call), n_(n), shown_(shown_by(team.rank)) {
    }
    bool reads(int p) const {
        switch (kind()) {
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
        return credit_for(window_, placed(), shown_);
    }
    // False, nothing being announced, if there is no room: the operation has another way to show (streams.h,
    // block_stream.h).
    [[gnu::always_inline]] bool enter() const {
        if (fits_head(shown_)) {
            put_in_head(window_.my_cell(n_).head); // before the rest of its first line (small_copy.h)
            window_.begin_head(n_, call_).has_room = 1;
            window_.announce(n_);
        } else if (shown_ == 0) {
            Payload().tell(window_, window_.begin_head(n_, call_), n_);
            window_.announce(n_);
        } else if (shown_ < window_.least_lent() || !show_lent()) {
            const bool again = goes_one_way() && gives_again(window_, op_, n_);
            const HeadBehindPayload head(window_, n_, call_, shown_, again);
            const Payload payload = put();
            payload.tell(window_, head.open(), n_);
            if (!payload.has_room()) [[unlikely]] {
                return false;
            }
            window_.announce(n_, payload.lies, again ? 0 : shown_);
        }
        if (trades_lines()) {
            window_.claim_head(n_ + 1, shown_);
        } else if (shown_ == 0) { // who only takes may be the one who gives next, where roots take turns
            window_.claim_head(n_ + 1, op_.bytes());
        } else if (goes_one_way()) {
            claim_ahead(window_, n_, shown_);
        }
        return true;
    }
    // Entered; peers' heads are looked at next.
    [[gnu::always_inline]] void pause_before_look() const {
        if (trades_lines()) {
            window_.pause_before_look(n_);
        } else if (goes_one_way() && shown_ == 0) {
            window_.measure_rarely(n_); // else who only takes would not know how far lines travel
        }
    }
    // Whether it is worth fetching, while a head is missing, what those before it have shown. On 16 processors of a
    // Xeon of the fourth generation, another root every time, gathers of 4 KiB by 16 ranks take 7.9 us like this,
    // and 9.9 without.
    bool fetches() const {
        return team_.size > 2 && op_.bytes() > inline_bytes && op_.bytes() <= longest_fetched;
    }
    // What these ranks, which have entered, show this one.
    [[gnu::noinline]] void fetch(int begin, int end) const {
        for (int p = begin; p < end; ++p) {
            const Head &head = window_.head(p, n_);
            if (p == team_.rank || !reads(p) || head.call != call_ || !is_shown(head)) {
                continue;
            }
            const char *shown = payload_of(window_, p, n_, placed(), shown_by(p), slot_room_for(window_, placed()));
            fetch_lines(shown + place_in_shown(kind(), op_, team_.rank, p), op_.bytes());
        }
    }
    // All heads are there. False: somebody had no room for its payload, or lends its buffers; the operation goes on in
    // another way (behind_one_shot). Throws MISMATCH or what a user's function says, the operation being complete then.
    [[gnu::always_inline]] bool finish(Heads heads) const {
        const std::vector<int> &order = team_.grouping.order;
        const void **data = window_.scratch();
        const size_t room = slot_room_for(window_, placed());
        bool is_whole = true, everyone = true;
        uint64_t baton = 0;
        uint64_t done = window_.done();
        for (size_t i = 0; i < order.size(); ++i) {
            const int p = order[i];
            const size_t at = adds_in_order() ? i : static_cast<size_t>(p);
            if (p == window_.rank()) {
                data[at] = op_.send ? static_cast<const char *>(op_.send) + place_in_given(kind(), op_, p) : nullptr;
                is_whole &= shows_own();
                continue;
            }
            if (!reads(p)) {
                everyone = false;
                continue;
            }
            if (goes_one_way() && may_look_ahead(window_, heads, shown_by(p))) {
                window_.expect_head(p, n_ + looks_ahead, shown_by(p));
            }
            const Head &head = window_.head(p, n_);
            window_.check_or_leave(p, n_, call_);
            is_whole &= is_shown(head);
            done = std::min(done, Window::done_by(head, n_));
            const size_t shown = shown_by(p);
            data[at] = payload_of(window_, p, n_, placed(), shown, room) + place_in_shown(kind(), op_, team_.rank, p);
            if (goes_one_way()) {
                baton = told_place(head, kind(), shown, room);
            }
        }
        if (everyone) {
            window_.saw_everyone(done);
        }
        if (!is_whole) [[unlikely]] {
            return false;
        }
        const xcoll_result_t result = combine(data);
        if (goes_one_way()) {
            window_.batons().keep(baton);
        }
        window_.complete(n_);
        if (result != XCOLL_SUCCESS) [[unlikely]] {
            fail_operator(team_, op_, result);
        }
        return true;
    }

private:
    // All of them together stay in a nearer cache until they are read.
    static constexpr size_t longest_fetched = size_t{16} << 10;

    Kind kind() const {
        return fixed == Kind::none ? op_.kind : fixed;
    }
    Kind placed() const {
        return fixed == Kind::none ? placed_as(op_) : fixed;
    }
    [[gnu::always_inline]] size_t shown_by(int p) const {
        return shown_bytes(kind(), op_, p, team_.size);
    }
    bool goes_one_way() const {
        return traits(kind()).one_way;
    }
    bool trades_lines() const {
        return !goes_one_way() && is_traded(window_, shown_);
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
    bool show_lent() const {
        const bool reduces = op_.kind == Kind::allreduce || scatters(op_);
        if (reduces && can_offer(team_, op_)) {
            const Payload payload(window_, n_, placed(), shown_); // for the case that not all do
            Head &head = window_.begin_head(n_, call_);
            payload.tell(window_, head, n_);
            offer(team_, op_, head);
        } else if (traits(op_.kind).moves_data &&
                   can_lend_shown(window_, op_, given_bytes(op_.kind, op_, team_.rank, team_.size))) {
            Head &head = window_.begin_head(n_, call_);
            head.has_room = 1;
            head.place.base = Window::counter_base(window_.my_cell(n_));
            lend(window_, head, op_.send);
        } else {
            return false;
        }
        window_.announce(n_);
        return true;
    }
    [[gnu::always_inline]] void put_in_head(Head &head) const {
        write_shown(kind(), op_, team_.rank, shown_, reinterpret_cast<char *>(head.bytes), SmallCopy{});
    }
    // In a copy.
    [[gnu::always_inline]] Payload put() const {
        if (!has_part_for_each(kind())) {
            return put_payload(window_, *team_.kernels, n_, kind(), op_.send, shown_);
        }
        Payload payload(window_, n_, placed(), shown_);
        if (payload.has_room()) [[likely]] {
            PayloadCopy copy(window_, *team_.kernels, payload, n_, shown_);
            write_shown(kind(), op_, team_.rank, shown_, payload.lies,
                        [&](char *part, const void *from, size_t bytes) { copy.put(part, from, bytes); });
        }
        return payload;
    }
    bool adds_in_order() const {
        switch (kind()) {
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
        switch (kind()) {
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

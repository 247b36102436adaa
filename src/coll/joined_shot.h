// Several small reductions in one shot: calls of a group, each of which would go in one shot by itself (one_shot.h).
//
//     rank 0   write a1 a2 a3 | publish |      | read b1 b2 b3 | a1+b1, a2+b2, a3+b3
//     rank 1   write b1 b2 b3 | publish | wait | read a1 a2 a3 | a1+b1, a2+b2, a3+b3
//
// What a call shows lies behind what those before it show, at the same place on all ranks, whether they show it or not.
// Alpha + S_in beta for all calls together, instead of an alpha for each. Wins wherever it serves: on two cores of a
// Zen 4 that share an L3, 64 allreduces in a group take 15 us one after the other and 4.3 joined if they are of 256
// bytes, and 49 and 42 if of 8 KiB; across two L3s 23 and 4.1 us if of 8 (bench/results/group-allreduce).
// Order of additions: coll/reduction.h, for each call as alone.
#pragma once

#include <algorithm>

#include "coll/algorithm.h"
#include "coll/payload.h"
#include "coll/row.h"
#include "coll/shown.h"

namespace xcoll {

class JoinedShot {
public:
    JoinedShot(Team &team, const Op &op, const Fingerprint &call, uint64_t n)
        : team_(team), window_(*team.window), op_(op), call_(call), n_(n), room_(op.room) {
    }

    // ---- which calls, and how many: the same on all ranks
    // A reduction, which goes by that row alone.
    static bool serves(const Op &call, const Row &row, const Team &team);
    // What a call takes of the payload; together they are the `room` of the operation.
    static size_t room_of(const Op &call, int ranks) {
        return (scatters(call) ? written_count(call, ranks) : call.count) * size_of(call.dtype);
    }
    // Of all calls that are joined.
    static size_t most_room(const Window &window);

    // ---- the steps (plain_steps.h)
    bool reads(int p) const {
        return std::any_of(op_.parts.begin(), op_.parts.end(),
                           [&](const Op &call) { return needs_input(call, team_.rank, p); });
    }
    uint64_t credit() const {
        return credit_for(window_, Kind::group_reduce, room_);
    }
    // True: what fits a slot has room there.
    bool enter() const {
        if (room_ <= inline_bytes) {
            write(reinterpret_cast<char *>(window_.my_cell(n_).head.bytes), SmallCopy{});
            window_.begin_head(n_, call_).has_room = 1;
            window_.announce(n_);
        } else {
            const HeadBehindPayload head(window_, n_, call_, room_, false);
            Payload payload(window_, n_, Kind::group_reduce, room_);
            write_payload(payload);
            payload.tell(window_, head.open(), n_);
            window_.announce(n_, payload.lies, room_);
        }
        if (is_traded(window_, room_)) {
            window_.claim_head(n_ + 1, room_);
        }
        return true;
    }
    void pause_before_look() const {
        if (is_traded(window_, room_)) {
            window_.pause_before_look(n_);
        }
    }
    // All heads are there. True; throws MISMATCH, the operation being complete then.
    bool finish(Heads) const {
        bool everyone = true;
        uint64_t done = window_.done();
        for (int p = 0; p < team_.size; ++p) {
            if (p != team_.rank && reads(p)) {
                window_.check_or_leave(p, n_, call_);
                done = std::min(done, Window::done_by(window_.head(p, n_), n_));
            } else {
                everyone &= p == team_.rank;
            }
        }
        if (everyone) {
            window_.saw_everyone(done);
        }
        size_t at = 0;
        for (const Op &call : op_.parts) {
            combine(call, at);
            at += room_of(call, team_.size);
        }
        window_.complete(n_);
        return true;
    }

private:
    // In the order of the calls: copy(to, from, bytes).
    template <class Copy> void write(char *to, Copy copy) const {
        for (const Op &call : op_.parts) {
            if (const size_t shown = shown_bytes(call.kind, call, team_.rank, team_.size); shown > 0) {
                write_shown(call.kind, call, team_.rank, shown, to, copy);
            }
            to += room_of(call, team_.size);
        }
    }
    void write_payload(Payload &payload) const {
        PayloadCopy copy(window_, *team_.kernels, payload, n_, room_);
        write(payload.lies, [&](char *part, const void *from, size_t bytes) {
            if (bytes <= inline_bytes) {
                copy_small(part, from, bytes);
            } else {
                copy.put(part, from, bytes);
            }
        });
    }
    // What a call shows lies behind the first `at` bytes.
    void combine(const Op &call, size_t at) const {
        if (call.kind == Kind::reduce && team_.rank != call.root) {
            return;
        }
        const auto input = [&](int p) -> const void * {
            if (p == team_.rank) {
                return static_cast<const char *>(call.send) + place_in_given(call.kind, call, p);
            }
            return payload_of(window_, p, n_, Kind::group_reduce, room_, window_.slot_room()) + at +
                   place_in_shown(call.kind, call, team_.rank, p);
        };
        combine_all(team_, call, call.recv, window_.scratch(), result_of(call, team_.rank).count, input);
    }

    Team &team_;
    Window &window_;
    const Op &op_;
    const Fingerprint &call_;
    uint64_t n_;
    size_t room_;
};

} // namespace xcoll

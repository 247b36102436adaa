// A short exchange of uneven parts: all-gather-v, all-to-all-v, gather-v and scatter-v whose parts lie in one piece
// each, on a rank that gives little.
//
//     rank 0   write aaa | publish |      | read b   to its place
//     rank 1   write b   | publish | wait | read aaa to its place
//
// What a rank shows is a stream (streams.h), with its index where many readers find different parts in it, so a peer
// that gives more, and streams, reads it like any other; and this rank goes on in that way (behind_one_shot) where it
// finds a peer's head that is not as plain. The plain steps of one_shot.h in number and order: alpha for the heads,
// then S_out + S_in bytes moved once each. Wins wherever it serves: setting up streams takes longer than moving what is
// short.
#pragma once

#include "coll/algorithm.h"
#include "coll/payload.h"
#include "coll/streams.h"

namespace xcoll {

template <Kind kind> class ShortExchange {
public:
    ShortExchange(Team &team, const Op &op, const Fingerprint &call, uint64_t n)
        : team_(team), window_(*team.window), op_(op), call_(call), n_(n), given_(given(op, team.rank, team.size)) {
    }
    // Parts that lie in one piece each.
    static bool fits(const Op &op, int rank, int ranks) {
        const auto lies_together = [](const Portion &part) { return !part.shape; };
        const bool sends_all = has_pairs && (!is_rooted() || rank == op.root);
        const bool takes_all = !is_rooted() || (to_root && rank == op.root);
        return std::all_of(op.out, op.out + (sends_all ? ranks : 1), lies_together) &&
               std::all_of(op.in, op.in + (takes_all ? ranks : 1), lies_together);
    }
    // If it fits: whether what this rank gives to others now is short.
    static bool is_short(const Op &op, int rank, int ranks) {
        return given(op, rank, ranks) <= longest;
    }
    bool reads(int p) const {
        return to_root ? team_.rank == op_.root : kind != Kind::scatterv || p == op_.root;
    }
    uint64_t credit() const {
        return given_ > inline_stream_bytes && !is_rooted() ? slot_count : window_.cells();
    }
    [[gnu::always_inline]] bool enter() const {
        if (given_ <= inline_stream_bytes) {
            Head &head = window_.begin_head(n_, call_);
            tell(head, slot_place);
            head.inlined = static_cast<uint8_t>(given_);
            if (given_ > 0) { // to a single reader, or the same to all
                copy(inlined_stream(head), shown(), given_);
            }
            window_.announce(n_);
        } else if (given_ >= window_.least_lent() || !show_beside_head()) [[unlikely]] {
            return false; // streams lend it, or go on in steps
        }
        if (!is_rooted()) {
            window_.claim_head(n_ + 1, 0);
        }
        return true;
    }
    [[gnu::always_inline]] void pause_before_look() const {
        if (!is_rooted()) {
            window_.pause_before_look(n_);
        }
    }
    // All heads are there. False: some peer has more to show than a short piece, or another one than this rank expects;
    // streams take it from here. Throws MISMATCH, the operation being complete then.
    [[gnu::always_inline]] bool finish(Heads) const {
        bool everyone = true, plain = true;
        uint64_t done = window_.done();
        for (int p = 0; p < team_.size; ++p) {
            if (p == team_.rank) {
                continue;
            }
            if (!reads(p)) {
                everyone = false;
                continue;
            }
            // The root has more to do than those who give little, so these are ahead.
            if (const size_t comes = in(op_, p).count; to_root && comes <= longest) {
                window_.expect_head(p, n_ + looks_ahead, comes);
            }
            window_.check_or_leave(p, n_, call_);
            const Head &head = window_.head(p, n_);
            done = std::min(done, Window::done_by(head, n_));
            if (!comes_plainly(p, head)) [[unlikely]] {
                plain = false;
            } else if (team_.size == 2) { // then nobody else's can differ
                take(p, head);
            }
        }
        if (!plain) [[unlikely]] {
            return false;
        }
        if (everyone) {
            window_.saw_everyone(done);
        }
        if (team_.size > 2) {
            take_all();
        }
        keep_own(); // not before: streams would move it once more
        window_.complete(n_);
        return true;
    }

private:
    void tell(Head &head, uint64_t place) const {
        head.has_room = 0; // for one piece
        head.flows = 0;
        head.inlined = 0;
        head.place = {Window::counter_base(window_.my_cell(n_)), place, {given_}, {given_}};
    }
    // False: there is no room.
    [[gnu::always_inline]] bool show_beside_head() const {
        const bool again = is_rooted() && gives_again(window_, op_, n_);
        const HeadBehindPayload head(window_, n_, call_, given_, again);
        const Payload payload = tells_places(team_.size)
                                    ? put_parts()
                                    : put_payload(window_, *team_.kernels, n_, with_equal_parts(kind), shown(), given_);
        if (!payload.has_room()) [[unlikely]] {
            return false;
        }
        Head &told = head.open();
        tell(told, payload.place);
        told.asks = payload.asks;
        window_.announce(n_, payload.lies, again ? 0 : given_);
        return true;
    }
    // The index of a stream and what it tells of (streams.h).
    [[gnu::noinline]] Payload put_parts() const {
        Payload payload(window_, n_, with_equal_parts(kind), given_);
        if (!payload.has_room()) [[unlikely]] {
            return payload;
        }
        PayloadCopy copy(window_, *team_.kernels, payload, n_, given_);
        size_t at = index_bytes(team_.size);
        for (int turn = 1; turn < team_.size; ++turn) {
            const int to = (team_.rank + turn) % team_.size;
            const Portion &part = out(op_, to);
            const PartOfStream entry{at, part.count};
            std::memcpy(payload.lies + static_cast<size_t>(to) * sizeof entry, &entry, sizeof entry);
            copy.put(payload.lies + at, part.base, part.count);
            at += part.count;
        }
        return payload;
    }
    static constexpr bool to_root = kind == Kind::gatherv;
    static constexpr bool has_pairs = kind == Kind::alltoallv || kind == Kind::scatterv;
    // Two ranks: parts of 10 KiB take 0.7 to 1.1 of the time that streams take on a Zen 3 (bench/results/zen3-uneven);
    // on a Xeon of the fourth generation 4 and 8 KiB take 0.45 to 0.95, and 16 KiB as long or a tenth longer. Of more
    // ranks, all parts together; no other limit was tried there.
    static constexpr size_t longest = size_t{16} << 10;

    static bool is_rooted() {
        return traits(kind).one_way;
    }
    // Whether a stream has several readers, who find different parts in it.
    static bool tells_places(int ranks) {
        return has_pairs && ranks > 2;
    }
    static const Portion &out(const Op &op, int to) {
        return op.out[traits(kind).is_shared || to_root ? 0 : to];
    }
    static const Portion &in(const Op &op, int from) {
        return op.in[kind == Kind::scatterv ? 0 : from];
    }
    // Whether a rank gives to itself.
    static bool has_own(const Op &op, int rank) {
        return !is_rooted() || rank == op.root;
    }
    // To all other ranks.
    static size_t given(const Op &op, int rank, int ranks) {
        const bool gives = kind == Kind::scatterv ? rank == op.root : !to_root || rank != op.root;
        if (!gives || ranks == 1) {
            return 0;
        }
        if (!tells_places(ranks)) {
            return out(op, rank == 0 ? 1 : 0).count; // to the only one, or the same to all
        }
        size_t bytes = index_bytes(ranks);
        for (int p = 0; p < ranks; ++p) {
            bytes += p == rank ? 0 : out(op, p).count;
        }
        return bytes;
    }
    const char *shown() const {
        return out(op_, team_.rank == 0 ? 1 : 0).base;
    }
    void keep_own() const {
        if (!has_own(op_, team_.rank)) {
            return;
        }
        const Portion &from = out(op_, team_.rank), &to = in(op_, team_.rank);
        if (from.base != to.base) {
            copy(to.base, from.base, to.count);
        }
    }
    // What p shows this rank, in one piece.
    [[gnu::always_inline]] std::span<const char> part_shown(int p, const Head &head) const {
        if (head.inlined) {
            return {inlined_stream(head), head.inlined};
        }
        const char *stream = window_.place(p, n_, head.place.offset);
        if (!tells_places(team_.size)) {
            return {stream, head.place.total};
        }
        PartOfStream part;
        std::memcpy(&part, stream + static_cast<size_t>(team_.rank) * sizeof part, sizeof part);
        return {stream + part.place, part.bytes};
    }
    [[gnu::always_inline]] bool comes_plainly(int p, const Head &head) const {
        return head.has_room == 0 && head.flows == 0 && head.lent == Lent::no && head.asks == 0 &&
               part_shown(p, head).size() == in(op_, p).count;
    }
    [[gnu::always_inline]] void take(int p, const Head &head) const {
        const std::span<const char> part = part_shown(p, head);
        char *const to = in(op_, p).base;
        if (head.inlined) {
            copy(to, part.data(), part.size());
            return;
        }
        window_.reading().copy(*team_.kernels, to, part.data(), part.size());
        window_.batons().keep(head.place.offset); // a peer that gives much more than this rank may have sent one
    }
    // Not before all are known to match: else something would have moved where they do not.
    [[gnu::noinline]] void take_all() const {
        for (int p = 0; p < team_.size; ++p) {
            if (p != team_.rank && reads(p)) {
                take(p, window_.head(p, n_));
            }
        }
    }
    [[gnu::always_inline]] void copy(char *to, const char *from, size_t bytes) const {
        if (bytes <= inline_bytes) {
            copy_small(to, from, bytes);
        } else {
            team_.kernels->copy(to, from, bytes);
        }
    }

    Team &team_;
    Window &window_;
    const Op &op_;
    const Fingerprint &call_;
    uint64_t n_;
    size_t given_;
};

} // namespace xcoll

// Where a rank's payload goes, by its size: into the head's own line, into one of the board's two slots, or into the
// payload ring; between two ranks whose messages go one way at a time into a baton, if this one holds any.
#pragma once

#include "coll/small_copy.h"
#include "fabric/copy_way.h"
#include "fabric/window.h"
#include "kernels/kernels.h"

namespace xcoll {

// A message that is written in one piece may take this part of the ring; larger ones go in blocks. On a Zen 4 under one
// L3 an all-gather of 1 MiB takes 78 us through a half of a ring of 2 MiB, and 196 in blocks through a quarter, whose
// lines the peer has just read when they are written again.
inline constexpr size_t ring_parts = 2;

inline size_t largest_message(Window &window) {
    return window.node().ring().bytes() / ring_parts;
}

// Whether two ranks write as much as they read, each in the same place: then, swapping their slots, they write lines
// that they have read.
inline bool fills_slots(Kind kind) {
    return kind == Kind::allreduce || kind == Kind::allgather || kind == Kind::alltoall ||
           kind == Kind::reduce_scatter || kind == Kind::group_reduce;
}

// Where one gives much more than the other, most lines of slots that they swap were read by the wrong one. On a Zen 4
// under one L3 an all-gather of 96 and 32 KiB takes 10.4 us through slots, and 5.7 through the ring.
inline bool is_much_more(size_t most, size_t least) {
    constexpr size_t much = 2;
    return most > much * least;
}
// The kind in whose places a payload goes: parts that differ little, as equal ones.
inline Kind placed_as(const Op &op) {
    return op.kind == Kind::reduce_scatterv && !is_much_more(op.most, op.least) ? Kind::reduce_scatter : op.kind;
}

// Payloads up to this size lie in slots. Larger ones of other operations are better off in the ring, where lines rest
// longer and a writer may be further ahead.
inline size_t slot_room_for(const Window &window, Kind kind) {
    return fills_slots(kind) ? window.slot_room() : slot_bytes;
}

// How far the writer of a payload in the ring may be ahead of the slowest reader: not so far that the caches lose what
// is yet to be read, and not so far that the ring is full, as who finds no room goes on in small steps. Among 4 ranks
// on two cores of a Xeon gathers of 1 MiB took 12 ms like that, instead of 0.5 to 0.7.
inline uint64_t most_ahead(const Window &window, size_t bytes) {
    constexpr size_t in_caches = size_t{512} << 10;
    constexpr uint64_t enough = 8;
    if (bytes <= in_caches / cell_count) {
        return window.cells();
    }
    const uint64_t in_ring = std::max(window.node().ring().bytes() / bytes, ring_parts);
    return std::min({window.cells(), in_ring, std::max<uint64_t>(in_caches / bytes, enough)});
}
// And of any payload. Where data go one way, whoever finds its slot in use goes on in the ring.
inline uint64_t credit_for(const Window &window, Kind kind, size_t bytes) {
    const bool needs_slot = bytes > inline_bytes && bytes <= slot_room_for(window, kind) && !traits(kind).one_way;
    return needs_slot ? slot_count : most_ahead(window, bytes);
}

// Who only gives may be several operations ahead of who only takes, as far as its credit goes: so whoever takes fetches
// the head of the operation behind the next one. But who waited for a short message is at the heels of who gives, and
// where lines come from afar it would take one away there that is written next.
inline constexpr uint64_t looks_ahead = 2;
enum class Heads : bool { were_there, awaited };
inline bool may_look_ahead(Window &window, Heads heads, size_t payload) {
    return heads == Heads::were_there || payload > inline_bytes || !window.first_look().is_far();
}

// Who gives writes heads that were read a ring ago, so each store waits until the line is gone from its readers, and
// the program waits with it as soon as it needs its own stores. So where that takes long lines are claimed before,
// beyond those that a reader fetches. On a Zen 5 with two L3s scatters of 8 bytes from one root, which reads its own
// block after each, take 0.045 us like that, and 0.140 without; scans 0.054 and 0.113. Under one L3 it gains nothing.
inline constexpr uint64_t claims_ahead = 4;
static_assert(claims_ahead > looks_ahead);
inline void claim_ahead(Window &window, uint64_t n, size_t payload) {
    if (payload <= inline_bytes && window.first_look().is_far()) {
        window.claim_head(n + claims_ahead, payload);
    }
}

// Where data go one way: the rank takes nothing.
inline bool only_gives(const Op &op, int rank) {
    if (op.kind == Kind::scan || op.kind == Kind::exscan) {
        return rank == 0;
    }
    const bool root_gives = op.kind == Kind::bcast || traits(op.kind).is_dealt;
    return op.root >= 0 && (op.root == rank) == root_gives;
}
// And did so in the last operation. Asked once in each.
inline bool gives_again(Window &window, const Op &op, uint64_t n) {
    return only_gives(op, window.rank()) && window.giving().goes_on(n);
}

// Whether it travels in the head itself.
inline bool fits_head(size_t bytes) {
    return bytes > 0 && bytes <= inline_bytes;
}

// Where everybody shows something, all do it at about the same time, if no copy takes its time before: they are ready
// to publish again soon, and better not too early to look (fabric/first_look.h).
inline bool is_traded(Window &window, size_t bytes) {
    constexpr size_t longest = 1024;         // gains a twentieth on a Xeon; 16 KiB gain there and lose on a Zen 4
    constexpr size_t longest_demoted = 4096; // 1.5 to 4 KiB take 0.6 to 0.9 of the time; 8 KiB as long
    return bytes <= (window.demotion().is_allowed() ? longest_demoted : longest);
}

// The longest payload for the short ring. From CopyWay::smallest on it is learned how payloads are written, and past
// the caches the short ring gains nothing. It was not measured on Xeons that send lines on to a cache that all cores
// share, whose long ring takes 0.12 us for broadcasts of 1 KiB and 0.17 for 256 bytes: there it is for less.
inline size_t longest_short(Window &window) {
    constexpr size_t longest = 1024, longest_demoted = 512;
    return window.demotion().is_allowed() ? longest_demoted : longest;
}

// What a head tells of the place of a payload, see Window::place.
inline constexpr uint64_t slot_place = 0, no_place = ~uint64_t{0};

// Where a message goes that does not fit the head; the credit is there. no_place if the ring has no room now.
inline uint64_t find_place(Window &window, uint64_t n, size_t bytes, bool goes_one_way, size_t slot_room) {
    if (const uint64_t baton = goes_one_way ? window.batons().give(bytes) : 0; baton != 0) {
        return baton;
    }
    const bool is_short = goes_one_way && bytes <= longest_short(window);
    if (const uint64_t place = is_short ? window.short_ring().take(window, n, bytes) : 0; place != 0) {
        return place;
    }
    if (bytes <= slot_room && window.has_credit(n, slot_count)) {
        return slot_place;
    }
    const uint64_t offset = window.node().ring().take(bytes, window, n);
    return offset != 0 ? offset : no_place;
}

// The head of an operation whose payload is written before it. A peer that waits looks again and again and so has
// the line of the head, and all that is stored behind a line that is waited for waits as well:
//
//     head first   write call: waits for the line | payload | write number: waits for it again
//     head last                                     payload | write call and number: waits once
//
// Whoever gives again and again is at the heels of its readers, or far ahead. Anybody else is about to be looked at,
// and gets the line meanwhile: by a claim, or if the payload is gone before that helps by writing a part of the head.
// On a Zen 5, two ranks, operations take, in us, with the head first and like this:
//
//     bytes                                256          4 Ki         16 Ki
//     two L3s, one root       broadcast    .208 .166    .465 .356
//                             gather       .234 .162    .412 .325
//                             scatter      .179 .176    .499 .401
//     two L3s                 allreduce    .334 .308    .579 .542    1.46 1.02
//                             allgather    .333 .344    .621 .619    1.35 1.16
//     one L3, one root        broadcast    .057 .038    .128 .102
//                             gather       .038 .041    .105 .113
//     one L3, roots in turn   broadcast    .101 .105    .215 .184
//     one L3                  allreduce    .103 .105    .198 .175    .546 .561
class HeadBehindPayload {
public:
    HeadBehindPayload(const Window &window, uint64_t n, const Fingerprint &call, size_t bytes, bool gives_again)
        : window_(window), call_(call), n_(n), is_begun_(!gives_again && bytes <= soon) {
        if (is_begun_) {
            window_.begin_head(n_, call_);
        } else if (!gives_again) {
            claim_line(&window_.my_cell(n_).head);
        }
    }
    // Once, behind the payload: what it tells of that is to be filled in.
    Head &open() const {
        return is_begun_ ? window_.my_cell(n_).head : window_.begin_head(n_, call_);
    }

private:
    static constexpr size_t soon = 1024;

    const Window &window_;
    const Fingerprint &call_;
    uint64_t n_;
    bool is_begun_;
};

// A payload of some kind that is there, or had no room, and what the head tells of it that does not follow from its
// size.
struct Payload {
    uint64_t place = slot_place;
    char *lies = nullptr;
    bool asks = false; // its readers, what it costs them

    Payload() = default; // there is none
    Payload(Window &window, uint64_t n, Kind kind, size_t bytes)
        : place(bytes > 0 ? find_place(window, n, bytes, traits(kind).one_way, slot_room_for(window, kind))
                          : slot_place) {
        if (has_room()) {
            lies = window.place(window.rank(), n, place);
        }
    }
    bool has_room() const {
        return place != no_place;
    }
    void tell(Window &window, Head &head, uint64_t n) const {
        head.has_room = has_room();
        head.asks = asks;
        // Who shows nothing may still have to read somebody's chunks.
        head.place.base = Window::counter_base(window.my_cell(n));
        head.place.offset = place;
    }
};

// What a head of p says of the place of that many bytes; 0: it lies in the head, or where its size tells.
inline uint64_t told_place(const Head &head, Kind kind, size_t bytes, size_t slot_room) {
    const bool is_told = bytes > inline_bytes && (traits(kind).one_way || bytes > slot_room);
    return is_told ? head.place.offset : 0;
}
// And where that is. What its size tells is found without looking into the head, whose line is still on its way: so the
// processor fetches both lines at once, ahead of knowing that the head is there.
inline const char *payload_of(const Window &window, int p, uint64_t n, Kind kind, size_t bytes, size_t slot_room) {
    const Head &head = window.head(p, n);
    if (bytes <= inline_bytes) {
        return reinterpret_cast<const char *>(head.bytes);
    }
    return window.place(p, n, told_place(head, kind, bytes, slot_room));
}

// What a peer shows comes into a nearer cache, before it is known whether it may be moved.
inline void fetch_lines(const char *shown, size_t bytes) {
    for (size_t at = 0; at < bytes; at += line_bytes) {
        __builtin_prefetch(shown + at, 0, 2);
    }
}

// What is copied there, in pieces, for readers who copy it on.
class PayloadCopy {
public:
    PayloadCopy(Window &window, const Kernels &kernels, Payload &payload, uint64_t n, size_t bytes)
        : kernels_(kernels), writing_(window.writing_to(payload.place)),
          message_(window.begin_copy(writing_, n, bytes)) {
        payload.asks = message_.asks;
    }
    ~PayloadCopy() {
        writing_.end(message_);
    }
    PayloadCopy(const PayloadCopy &) = delete;
    PayloadCopy &operator=(const PayloadCopy &) = delete;

    void put(char *to, const void *from, size_t bytes) {
        writing_.copy(message_, kernels_, to, from, bytes);
    }

private:
    const Kernels &kernels_;
    CopyWay &writing_;
    CopyOfMessage message_;
};

// Of one piece. What is learned of copies stays out of the way of short ones.
[[gnu::noinline]] inline void copy_known(Window &window, const Kernels &kernels, Payload &payload, uint64_t n,
                                         const void *data, size_t bytes) {
    PayloadCopy(window, kernels, payload, n, bytes).put(payload.lies, data, bytes);
}
[[gnu::always_inline]] inline Payload put_payload(Window &window, const Kernels &kernels, uint64_t n, Kind kind,
                                                  const void *data, size_t bytes) {
    Payload payload(window, n, kind, bytes);
    if (payload.has_room() && bytes >= CopyWay::smallest) {
        copy_known(window, kernels, payload, n, data, bytes);
    } else if (payload.has_room()) {
        kernels.copy(payload.lies, data, bytes);
    }
    return payload;
}

} // namespace xcoll

// The reading side of a stream.
#include "coll/streams.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/error.h"
#include "coll/payload.h"
#include "coll/piece_writer.h"
#include "coll/shown.h"
#include "fabric/attach.h"
#include "fabric/visit.h"

namespace xcoll {

bool Streams::concerns(int p) const {
    const Op &op = exchange_.ops()[0];
    if (exchange_.ops().size() > 1 || op.root < 0 || reads_mine(p)) {
        return true;
    }
    const bool to_root = op.kind == Kind::gather || op.kind == Kind::gatherv;
    return (to_root ? rank_ : p) == op.root;
}

// Where the bytes of p begin: in its head, in its slot or ring, or where it lends them. How many there are.
size_t Streams::open_stream(Source &source, int p) {
    const Head &head = window_.head(p, n_);
    source.base = head.place.base;
    if (head.inlined > 0) {
        source.begin = inlined_stream(head);
        return head.inlined;
    }
    const bool is_lent = head.lent != Lent::no;
    source.area = head.place.area;
    baton_ = is_lent ? baton_ : head.place.offset;
    source.begin = is_lent ? window_.lent(p, head, head.place.offset) : window_.place(p, n_, head.place.offset);
    source.flows = head.flows;
    open_turns(source, p, is_lent ? 0 : head.turns);
    return head.place.total;
}

// Whatever somebody else gives.
bool Streams::is_all_for_me() const {
    return index_bytes_ == 0 && !exchange_.arrivals() && (ranks_ == 2 || !exchange_.differs_by_reader());
}

// Also what this rank does not expect.
bool Streams::comes_from(const Head &head) const {
    return head.lent != Lent::no ||
           (is_all_for_me() && head.has_room == 0 && (head.inlined > 0 || head.place.total > 0));
}

void Streams::open(int p, size_t shared, size_t pair) {
    const Head &head = window_.head(p, n_);
    Source &source = sources_[p];
    source.lent = head.lent;
    borrows_ |= source.lent != Lent::no;
    if (shared > 0) {
        source.shared.begin(exchange_, Side::shared_in, p);
    }
    if (pair > 0) {
        source.pair.begin(exchange_, Side::pair_in, p);
    }
    if (head.has_room) {
        open_one_piece(source, p, shared, pair);
        return;
    }
    if (head.lent != Lent::no && head.listed) {
        open_pieces(source, p, shared, pair);
        return;
    }
    const size_t total = open_stream(source, p);
    source.shared_end = source.end = index_bytes_ + shared;
    if (index_bytes_ == 0 && pair > 0) {
        source.pair_begin = source.shared_end + exchange_.known_place(p, rank_);
        source.pair_end = source.end = source.pair_begin + pair;
    }
    if (total < source.end || (is_all_for_me() && total != source.end)) {
        throw counts_differ(n_, p, total - index_bytes_, rank_, shared + pair);
    }
    any_streams_ |= source.flows != 0;
    is_paced_ |= source.flows != 0 && total > source.area;
    if (source.flows) {
        step_ = std::min(step_, chunk_of(total, source.area, source.flows));
    }
}

// A rank that shows everything at once (one_shot.h): in the order of ranks, and the place follows from the size.
void Streams::open_one_piece(Source &source, int p, size_t shared, size_t pair) {
    const Op &op = exchange_.ops()[0];
    const Head &head = window_.head(p, n_);
    if (head.lent == Lent::no) {
        const size_t shown = shown_bytes(op.kind, op, p, ranks_), room = slot_room_for(window_, op.kind);
        source.begin = payload_of(window_, p, n_, op.kind, shown, room);
        baton_ = told_place(head, op.kind, shown, room);
    } else {
        source.begin = window_.lent(p, head, head.place.offset);
    }
    source.shared_end = shared;
    source.pair_begin =
        head.lent == Lent::no ? place_in_shown(op.kind, op, rank_, p) : place_in_given(op.kind, op, rank_);
    source.pair_end = source.pair_begin + pair;
    source.end = std::max(shared, pair > 0 ? source.pair_end : 0);
}

// A rank that leaves early tells its peers. One that lends waits for its readers all the same. But what ends the
// communicator is told by its farewell.
void Streams::leave(const Failure &failure) {
    if (is_fatal(failure.result())) {
        throw failure;
    }
    window_.break_off(n_);
    if (!lends_) {
        window_.complete(n_);
        throw failure;
    }
    failure_ = failure;
}

// And nothing has moved.
void Streams::refuse(const Failure &failure) {
    own_.take_back();
    leave(failure);
}

void Streams::settle() {
    try {
        read_heads();
    } catch (const Failure &failure) {
        refuse(failure);
    }
}

bool Streams::knows_parts() {
    try {
        return failure_ || has_read_indexes();
    } catch (const Failure &failure) {
        refuse(failure);
        return true;
    }
}

// An entry beyond the first area, of more than 256 ranks, comes behind other data: it is read with those. All others
// are written before their writer waits for anybody.
bool Streams::has_read_indexes() {
    for (int p = 0; index_bytes_ > 0 && p < ranks_; ++p) {
        Source &source = sources_[p];
        if (p == rank_ || source.knows_part || source.area < entry_end()) {
            continue;
        }
        if (!has_come(p, entry_end())) {
            return false;
        }
        read_index(source, p);
    }
    return true;
}

void Streams::read_heads() {
    step_ = longest_stream_step;
    uint64_t done = ~uint64_t{0};
    bool everyone = true;
    for (int p = 0; p < ranks_; ++p) {
        if (p == rank_) {
            continue;
        }
        new (sources_ + p) Source{};
        if (!concerns(p)) {
            everyone = false;
            continue;
        }
        if (is_rooted()) { // as one_shot.h: gathers of 16 KiB to one root take 0.79 us instead of 0.95 across two L3s
            window_.expect_head(p, n_ + looks_ahead, 0);
        }
        window_.check(p, n_, call_);
        asked_.by = window_.is_asked(p, n_) ? p : asked_.by;
        done = std::min(done, Window::done_by(window_.head(p, n_), n_));
        if (Arrivals *arrivals = exchange_.arrivals()) {
            open_arriving(p, *arrivals);
            continue;
        }
        const size_t shared = exchange_.shared_in(p), pair = exchange_.pair_in(p);
        // Who lends or streams waits for all whom it gives something, also for one that expects nothing and is wrong.
        if (shared + pair > 0 || shows_index(p) || comes_from(window_.head(p, n_))) {
            open(p, shared, pair);
        }
    }
    if (everyone && ranks_ > 1) {
        window_.saw_everyone(std::min(done, window_.done()));
    }
    any_streams_ |= flows_ != 0;
    if (!any_streams_) {
        step_ = ~size_t{0} / 2;
    }
}

void Streams::place(Source &source, const PartOfStream &entry) {
    if (entry.bytes > 0) {
        source.pair_begin = entry.place;
        source.pair_end = source.end = entry.place + entry.bytes;
    }
}

// What comes from p is as much as this rank expects, and where.
void Streams::read_index(Source &source, int p) {
    PartOfStream entry;
    source.knows_part = true;
    const size_t at = static_cast<size_t>(rank_) * sizeof entry;
    std::memcpy(&entry, source.begin + at % source.area, sizeof entry);
    if (exchange_.arrivals()) {
        adopt(source, p, entry);
        return;
    }
    const size_t expected = exchange_.pair_in(p);
    if (entry.bytes != expected) {
        throw counts_differ(n_, p, entry.bytes, rank_, expected);
    }
    place(source, entry);
}

// take(to, from): copies as many bytes as there are in `to`.
template <class Take> void Streams::read_parts(Source &source, size_t from, size_t until, Take take) {
    const auto part = [&](Walk &walk, LentWalk &lent, size_t begin, size_t end) {
        for (size_t at = std::max(begin, from); at < std::min(end, until);) {
            const size_t in_area = source.flows ? at % source.area : at;
            const size_t rest = std::min(end, until) - at;
            const size_t together = source.flows ? source.area - in_area : source.is_listed ? lent.left() : rest;
            const std::span<char> to = walk.next(std::min(together, rest));
            if (to.empty()) {
                return;
            }
            const char *from_area = source.flows ? source.begins[at / source.area % 2] : source.begin;
            take(to, source.is_listed ? lent.pass(to.size()) : from_area + in_area);
            at += to.size();
        }
    };
    part(source.shared, source.lent_shared, index_bytes_, source.shared_end);
    part(source.pair, source.lent_pair, source.pair_begin, source.pair_end);
}

void Streams::take(char *to, const char *from, size_t bytes) const {
    if (bytes <= inline_bytes) {
        copy_small(to, from, bytes);
    } else {
        window_.reading().copy(*team_.kernels, to, from, bytes);
    }
}

void Streams::read(Source &source, int p, size_t from, size_t until) {
    const size_t my_entry = index_bytes(rank_);
    if (index_bytes_ > 0 && source.area > 0 && !source.knows_part && my_entry >= from && my_entry < until) {
        read_index(source, p);
    }
    const bool is_asked = p == asked_.by;
    const uint64_t start = is_asked ? ticks() : 0;
    size_t bytes = 0;
    read_parts(source, from, until, [&](std::span<char> to, const char *part) {
        take(to.data(), part, to.size());
        bytes += to.size();
    });
    if (is_asked) {
        asked_.ticks += ticks() - start;
        asked_.bytes += bytes;
    }
}

// What p lends, as long as p has not taken it back (fabric/visit.h). False if it has gone with p.
bool Streams::read_lent(Source &source, int p, size_t until) {
    const size_t end = std::min(until, source.end);
    for (size_t at = source.shared_end > 0 ? position_ : std::max(position_, source.pair_begin); at < end;) {
        const size_t next = std::min(at + Visit::piece, end);
        if (window_.shares_process(p)) {
            const Visit visit(window_);
            visit.check(p);
            read(source, p, at, next);
        } else if (source.lent == Lent::offset) {
            read(source, p, at, next);
            Visit::check_kept(window_, p);
        } else if (!read_attached(source, p, at, next)) {
            return false;
        }
        at = next;
    }
    return true;
}

// The watcher is to tell of a death, as of any other: what p will never publish is the obstacle then.
bool Streams::read_attached(Source &source, int p, size_t from, size_t until) {
    const int64_t process = window_.node().member(window_.node_rank(p)).process.pid;
    AttachedRead read(process);
    read_parts(source, from, until,
               [&](std::span<char> to, const char *bytes) { read.add(to.data(), bytes, to.size()); });
    const int error = read.finish();
    if (error == ESRCH) {
        is_bereft_ = true;
        obstacle_ = {&window_.cell(p, n_).out, ~uint64_t{0}, p};
        return false;
    }
    Visit::check_kept(window_, p);
    if (error != 0) {
        fail_at(
            p, XCOLL_ERR_SYSTEM,
            "in operation %llu rank %d could not copy what rank %d (process %lld) sends: %s. XCOLL_CMA=off helps with "
            "memory that the kernel does not copy",
            static_cast<unsigned long long>(n_), rank_, p, static_cast<long long>(process), std::strerror(error));
    }
    return true;
}

} // namespace xcoll

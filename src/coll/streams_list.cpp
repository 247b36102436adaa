// Streams that are lent and do not lie in one piece, of groups, ragged parts and strided ones: the writer shows a list
// of its pieces (lent_list.h), and whoever reads them walks through both lists, the writer's and its own. All else is
// as with a stream in one piece (streams_lend.cpp).
#include "coll/lending.h"
#include "coll/streams.h"

#include <algorithm>

namespace xcoll {

namespace {

// Bytes of a piece on average from which a list is shown: one entry of it is read for as many bytes as eight lines.
constexpr size_t worth_a_piece = 512;
// And where the kernel copies it. On a Xeon the exchanges of ulysses (bench/ancestors) take 1.3 times as long by the
// kernel in pieces of 400 to 1300 bytes, and 0.8 times in pieces of 130 KB; 200 parameters of 13 KB each 0.8 times.
constexpr size_t worth_a_copied_piece = 4096;
// 256 KiB of list: the ring has room for other things, too.
constexpr size_t most_pieces = size_t{16} << 10;

} // namespace

// Whether a list may pay, and nothing replaces what it names meanwhile.
bool Streams::may_list() const {
    const size_t bytes = total_ - index_bytes_;
    return bytes >= window_.least_lent() && !exchange_.arrivals() && !exchange_.overwrites_its_input();
}

// Whether the readers reach memory that is not in the heap.
bool Streams::reaches_all_memory() const {
    return window_.lends_private() || (is_attached() && is_attachable(first_byte(), 1));
}

// What this rank gives, with all pieces in the heap or wherever they are. False if they are not, or too many.
bool Streams::list_pieces(Lent kind) {
    const bool by_kernel = kind == Lent::address && !window_.lends_private() && team_.attach != Attach::on;
    const size_t worth = by_kernel ? worth_a_copied_piece : worth_a_piece;
    const size_t most = std::min(most_pieces, (total_ - index_bytes_) / worth);
    if (offset_ == 0) {
        offset_ = window_.node().ring().take(LentList::room(ranks_, most), window_, n_);
    }
    if (offset_ == 0) {
        return false;
    }
    const LentList list(window_.at(rank_, offset_), ranks_);
    size_t count = 0;
    const auto part = [&](LentList::Part &of, Side side, int peer, size_t bytes) {
        of = {count, bytes};
        Walk walk;
        if (bytes > 0) {
            walk.begin(exchange_, side, peer);
        }
        for (size_t left = bytes; left > 0;) {
            const std::span<char> piece = walk.next(left);
            if (count == most || (kind == Lent::offset && !window_.node().heap().reaches(piece.data(), piece.size()))) {
                return false;
            }
            list.pieces()[count++] = {lent_place(window_, kind, piece.data()), piece.size()};
            left -= piece.size();
        }
        return true;
    };
    bool fits = part(list.for_all(), Side::shared_out, -1, shared_end_ - index_bytes_);
    for (int p = 0; p < ranks_ && fits; ++p) {
        fits = part(list.for_rank(p), Side::pair_out, p, out_[p].bytes);
    }
    return fits;
}

bool Streams::find_pieces() {
    if (!may_list()) {
        return false;
    }
    const bool anywhere = reaches_all_memory();
    const bool in_heap = !window_.lends_private() && window_.node().heap().reaches(first_byte(), 1);
    if (in_heap && list_pieces(Lent::offset)) {
        listed_ = Lent::offset;
    } else if (anywhere && list_pieces(Lent::address)) {
        listed_ = Lent::address;
    }
    lends_ = listed_ != Lent::no;
    return lends_;
}

// Of what this rank gives, to see where it lies.
const char *Streams::first_byte() const {
    Walk walk;
    if (shared_end_ > index_bytes_) {
        walk.begin(exchange_, Side::shared_out, -1);
        return walk.next(1).data();
    }
    int to = 0;
    while (out_[to].bytes == 0) {
        ++to;
    }
    walk.begin(exchange_, Side::pair_out, to);
    return walk.next(1).data();
}

// What p gives to all and to this rank must be what this rank expects, each.
void Streams::open_pieces(Source &source, int p, size_t shared, size_t pair) {
    const Head &head = window_.head(p, n_);
    const LentList list(window_.at(p, head.place.offset), ranks_);
    const LentList::Part &for_all = list.for_all(), &for_me = list.for_rank(rank_);
    if (for_all.bytes != shared || for_me.bytes != pair) {
        throw counts_differ(n_, p, for_all.bytes + for_me.bytes, rank_, shared + pair);
    }
    const uintptr_t base = source.lent == Lent::address ? 0 : reinterpret_cast<uintptr_t>(window_.at(p, 0));
    source.is_listed = true;
    source.lent_shared.begin(list, for_all, base);
    source.lent_pair.begin(list, for_me, base);
    source.shared_end = source.pair_begin = index_bytes_ + shared;
    source.pair_end = source.end = source.shared_end + pair;
}

} // namespace xcoll

// The writing side of a stream.
#include "coll/streams.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "base/error.h"
#include "coll/one_shot.h"
#include "coll/payload.h"
#include "coll/piece_writer.h"

namespace xcoll {

Streams::Streams(Team &team, const Exchange &exchange, const Fingerprint &call, uint64_t n)
    : team_(team), window_(*team.window), exchange_(exchange), call_(call), n_(n), rank_(team.rank), ranks_(team.size),
      own_(*team.scratch, *team.kernels, exchange), out_memory_(*team.scratch, index_bytes(ranks_)),
      out_(reinterpret_cast<PartOfStream *>(out_memory_.data())),
      source_memory_(*team.scratch, static_cast<size_t>(ranks_) * sizeof(Source)),
      sources_(reinterpret_cast<Source *>(source_memory_.data())) {
    // A single reader finds its bytes without being told where.
    index_bytes_ = exchange_.tells_places() && ranks_ > 2 ? index_bytes(ranks_) : 0;
    if (is_shown()) {
        lends_ = window_.head(rank_, n_).lent != Lent::no;
    } else {
        plan_out();
    }
}

void Streams::plan_out() {
    shared_end_ = index_bytes_ + exchange_.shared_out();
    total_ = shows_index(rank_) ? shared_end_ : exchange_.shared_out();
    for (int turn = 1; turn < ranks_; ++turn) {
        const int to = (rank_ + turn) % ranks_;
        const size_t bytes = exchange_.pair_out(to);
        out_[to] = place_of_part(to, bytes);
        total_ += bytes;
    }
    out_[rank_] = {};
    if (ranks_ == 1) {
        total_ = 0;
    }
    const bool is_pair = ranks_ == 2 && !exchange_.arrivals();
    taken_ = is_pair ? exchange_.shared_in(1 - rank_) + exchange_.pair_in(1 - rank_) : total_;
}

// ---------------------------------------------------------------------------------------------------- writing

// A longer one flows through it, where lines come from afar: of lines that are written again and again none leaves the
// nearer caches. On a Xeon whose cores share no cache roots in turn take, in us, through a baton and through the ring:
// broadcasts of 1 MiB 96 and 120, uneven gathers 174 and 244, scatters 160 and 175.
size_t Streams::taken_of_baton() const {
    return window_.first_look().is_far() ? std::min(total_, baton_bytes) : total_;
}

bool Streams::take_room() {
    if (total_ > slot_bytes && (find_lendable() || find_pieces())) {
        area_ = total_;
        return true;
    }
    if (goes_one_way() && total_ > inline_stream_bytes && (offset_ = window_.batons().give(taken_of_baton())) != 0) {
        area_ = baton_bytes;
        return true;
    }
    fits_slot_ = total_ <= (goes_one_way() ? slot_bytes : window_.slot_room()) || goes_in_turns();
    if (fits_slot_) {
        area_ = window_.slot_room();
        return true;
    }
    // Where ranks write and read at the same time, longer areas push each other out of the caches: all-gathers of 4 MiB
    // take a quarter longer through a half of the ring than through a quarter of it, but broadcasts half as long.
    const size_t largest = largest_message(window_);
    const size_t room = total_ <= largest ? total_ : goes_one_way() ? largest : largest / 2;
    area_ = (room + line_bytes - 1) / line_bytes * line_bytes;
    offset_ = window_.node().ring().take(area_, window_, n_);
    return offset_ != 0;
}

void Streams::take_slot() {
    area_ = window_.slot_room();
    offset_ = 0;
    turns_ = goes_in_turns() ? first_turn() : 0; // of one that fits the slot as well, beside one that does not
}

// The next bytes of the stream, in the order of its sections.
void Streams::pack(char *to, size_t bytes) {
    PieceWriter writer(writing(), message_, *team_.kernels, to, bytes, n_);
    while (bytes > 0) {
        if (section_left_ == 0) {
            if (section_ == Section::index && index_bytes_ > 0 && section_at_ == 0) {
                section_left_ = index_bytes_;
            } else if (section_ == Section::index) {
                section_ = Section::shared;
                section_left_ = shared_end_ - index_bytes_;
                if (section_left_ > 0) {
                    walk_.begin(exchange_, Side::shared_out, -1);
                }
            } else {
                section_ = Section::pairs;
                const int peer = (rank_ + ++turn_) % ranks_;
                section_left_ = out_[peer].bytes;
                if (section_left_ > 0) {
                    walk_.begin(exchange_, Side::pair_out, peer);
                }
            }
            continue;
        }
        size_t moved = std::min(bytes, section_left_);
        if (section_ == Section::index) {
            writer.put({reinterpret_cast<const char *>(out_) + section_at_, moved});
            section_at_ += moved;
        } else {
            const std::span<char> piece = walk_.next(moved);
            writer.put(piece);
            moved = piece.size();
        }
        section_left_ -= moved;
        bytes -= moved;
    }
    writer.flush();
}

// Of a stream that fits the room; 1: it is shown as a whole. Who tells of a chunk has to get a line back from those who
// wait for it, and who reads has yet to copy the last chunk when it is told of: with k chunks that is k times the one
// and a kth of reading it all, the least where k is the root of how many times longer reading takes than telling. On a
// Zen 5, two ranks, one L3 or two, a line comes back while 4 or 8 KiB are copied. There broadcasts took, in us, with
// these, and in as many chunks of 16 KiB as there are or four of one:
//
//     KiB                            16          64          256         1024
//     two roots in turn, one L3      .51 .55     1.5 1.5
//     two roots in turn, two L3s     1.4 1.4     3.0 3.0     9.3 9.3     39  44
//     one root, as a whole, one L3   .29 .47
//     one root, as a whole, two L3s  .69 1.4     2.0 2.8     7.2 10.1    28  38
uint8_t Streams::best_chunks(bool again) const {
    constexpr double read_while_telling = 4096;
    if (!is_rooted() || again) {
        return 1;
    }
    const double chunks = std::sqrt(static_cast<double>(total_) / read_while_telling);
    return static_cast<uint8_t>(std::clamp(chunks, 1.0, 255.0));
}

void Streams::write_through(char *to, size_t bytes) {
    if (packed_) {
        writing().copy(message_, *team_.kernels, to, packed_->data() + written_, bytes);
    } else {
        pack(to, bytes);
    }
    written_ += bytes;
    if (written_ == total_) {
        writing().end(message_);
    }
}

void Streams::write_chunk() {
    const size_t bytes = std::min(chunk_, total_ - written_);
    write_through(place_of_chunk(written_), bytes);
    const uint64_t base = window_.head(rank_, n_).place.base;
    window_.publish(window_.my_cell(n_).in, base + lines(written_));
}

// All that the head of a stream tells.
void Streams::fill_head(Head &head) const {
    head.has_room = 0; // for one piece
    head.inlined = is_inlined() ? static_cast<uint8_t>(total_) : 0;
    head.asks = message_.asks;
    head.place = {Window::counter_base(window_.my_cell(n_)), offset_, {area_}, {told()}};
    head.flows = flows_;
    head.turns = turns_;
}

void Streams::show_in_head() {
    Head &head = window_.begin_head(n_, call_);
    fill_head(head);
    if (total_ > 0) {
        write_through(inlined_stream(head), total_);
    }
    window_.announce(n_);
}

void Streams::show_whole(bool again) {
    const HeadBehindPayload head(window_, n_, call_, total_, again);
    message_ = window_.begin_copy(writing(), n_, total_);
    write_through(place_of_chunk(0), total_);
    fill_head(head.open());
    // Above that it lies in the ring: all-gathers of 6 and 2 KiB take 1.6 us like that there, and 1.4 without.
    const bool is_demoted = total_ <= slot_bytes;
    window_.announce(n_, is_demoted ? place_of_chunk(0) : nullptr, is_demoted ? total_ : 0);
}

void Streams::begin_flow() {
    chunk_ = chunk_of(total_, area_, flows_);
    if (is_longer_than_room()) {
        area_ = chunk_ * (area_ / chunk_);
        if (exchange_.overwrites_its_input()) {
            packed_.emplace(*team_.scratch, total_);
            pack(packed_->data(), total_);
        }
    }
    message_ = window_.begin_copy(writing(), n_, total_); // what was packed does not count
    fill_head(window_.begin_head(n_, call_));
    window_.announce(n_);
    while (written_ < total_ && written_ + std::min(chunk_, total_ - written_) <= area_) {
        write_chunk();
    }
}

void Streams::enter() {
    if (lends_) {
        enter_lent(window_.begin_head(n_, call_));
        return;
    }
    const bool again = is_rooted() && gives_again(window_, exchange_.ops()[0], n_);
    const uint8_t chunks = best_chunks(again);
    flows_ = is_longer_than_room() || chunks > 1 ? chunks : 0;
    if (flows_) {
        begin_flow();
        return;
    }
    if (is_inlined() || total_ == 0) {
        show_in_head();
    } else {
        show_whole(again);
    }
    if (trades_lines()) {
        window_.claim_head(n_ + 1, 0);
    }
}

void Streams::move_own() {
    if (failure_ || exchange_.arrivals()) {
        return; // nothing moves then; where it belongs may depend on what comes
    }
    if (own_.is_served()) {
        if (!only_writes_in_steps()) {
            own_.move_rest();
        }
        return;
    }
    if (const Itinerary *itinerary = exchange_.itinerary(); itinerary && itinerary->lists_own()) {
        ViewCursor::move_own(*team_.kernels, exchange_);
        return;
    }
    for (const Op &op : exchange_.ops()) {
        if (op.in || op.root >= 0) {
            ViewCursor::move_own(*team_.kernels, Exchange(op, rank_, ranks_));
            continue;
        }
        // Most calls: a block to its place.
        const char *from = exchange_.out(op, rank_).base;
        char *to = exchange_.in(op, rank_).base;
        if (to != from) {
            keep(to, from, op.bytes());
        }
    }
}

void Streams::keep(char *to, const char *from, size_t bytes) const {
    if (bytes <= inline_bytes) {
        copy_small(to, from, bytes);
    } else {
        team_.kernels->copy(to, from, bytes);
    }
}

// The next chunk may overwrite what lies an area before it.
bool Streams::can_write() {
    const uint64_t end = lines(written_ + std::min(chunk_, total_ - written_));
    if (written_ == total_ || end <= lines(area_)) {
        return written_ < total_;
    }
    for (int p = 0; p < ranks_; ++p) {
        const size_t wants = std::max(shared_end_, out_[p].bytes ? out_[p].place + out_[p].bytes : 0);
        const uint64_t need = std::min(end - lines(area_), lines(wants));
        if (p == rank_ || need == 0) {
            continue; // its head may not be there
        }
        if (must_read_first(sources_[p], end - lines(area_))) {
            need_ = ~uint64_t{0};
            return false;
        }
        if (has_swapped(sources_[p], end - lines(area_))) {
            continue;
        }
        const uint64_t base = window_.head(p, n_).place.base;
        if (!has_passed({&window_.cell(p, n_).used, base + need, p})) {
            slow_reader_ = p;
            need_ = need;
            return false;
        }
    }
    return true;
}

} // namespace xcoll

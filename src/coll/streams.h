// An Exchange in shared memory: what one rank gives to the others is one stream of bytes in its own memory, and each
// rank reads its parts of everybody's stream.
//
//     | index | shared by all | for rank+1 | for rank+2 | ... | for rank-1 |
//
// The index says for each rank where its bytes begin and how many there are; it is left out where everybody knows. The
// order by turns makes the readers of an all-to-all begin with different senders.
//
// A stream that fits the room lies there as a whole, and its writer leaves without waiting. A longer one goes through
// an area in chunks, and the counters of the cell tell how far: `in` how far its owner has written, `used` how far the
// owner has read all other streams. Both count lines from the base in the head: used = u says that the owner has read
// what it wants of the first u lines of every stream. So the writer of a stream with an area of A lines writes line w
// after it saw used[p] > w - A for every p that reads something there.
//
// Where the readers have nothing else to do meanwhile (there is a root), a stream that fits the room is shown in chunks
// as well: its area is as long as itself, so its writer still waits for nobody, and its readers tell nobody how far
// they are, and read whatever has come. But not if the writer gives again and again (fabric/giving.h).
//
// Two ranks that trade longer streams let them flow through their slots, in turns, each of which swaps them
// (streams_turns.cpp).
//
// A stream that lies where its readers reach it, in the writer's symmetric heap or in their own process, is not copied:
// the writer lends it, and leaves when the counters `out` of its readers tell that they have finished
// (streams_lend.cpp). If it does not lie in one piece, a list tells where the pieces are (streams_list.cpp).
//
// Waiting for one thing at a time cannot deadlock, by this rule: who has read up to x waits for a reader p only if it
// needs used[p] >= need with need <= x, otherwise for the writer of what it wants to read next. Proof: let every
// waiting rank have the mark m = x if it waits for a writer, m = need if for a reader. r waits for the writer t, which
// has written w_t <= x_r. If t waits for a writer, t needs no reader up to x_t, so w_t > x_t (its area is longer than a
// chunk) and m_t < m_r. If t waits for a reader, m_t = need <= w_t <= m_r. And who waits for the reader p has
// used[p] < need: m_p <= x_p < m. So marks never rise along a chain of waiting ranks, and fall at every wait for a
// reader and between two waits for a writer: no chain comes back to its begin.
#pragma once

#include <algorithm>
#include <optional>

#include "coll/algorithm.h"
#include "coll/lent_list.h"
#include "coll/own_part.h"
#include "coll/payload.h"
#include "coll/walk.h"

namespace xcoll {

// The longest chunk of a stream that is longer than its area: long enough to hide a wait behind it, short enough to
// stay in the cache between writer and reader.
inline constexpr size_t longest_stream_step = size_t{64} << 10;
// Chunks in an area: one is written while another is read, and neither waits for a third.
inline constexpr size_t stream_chunks = 4;
// Of the index: where a reader's part lies in the stream, and how long it is.
struct PartOfStream {
    uint64_t place, bytes;
};
constexpr size_t index_bytes(int ranks) {
    return static_cast<size_t>(ranks) * sizeof(PartOfStream);
}
// A stream that lies in the head itself.
inline char *inlined_stream(const Head &head) {
    return reinterpret_cast<char *>(const_cast<unsigned char *>(head.bytes)) + sizeof(Head::Place::base);
}

class Streams {
public:
    Streams(Team &team, const Exchange &exchange, const Fingerprint &call, uint64_t n);

    // ---- the steps, in their order
    // This rank has shown its head and its bytes already, in one piece, and reads a rank that could not.
    bool is_shown() const {
        return window_.head(rank_, n_).number.reached(n_);
    }
    // The slot of the board is taken, which needs its credit.
    bool wants_slot() const {
        return total_ > inline_stream_bytes && fits_slot_;
    }
    // How far ahead it may be.
    uint64_t credit() const {
        return most_ahead(window_, total_);
    }
    // Room in the ring, if it is wanted; or none, if what this rank gives can be lent or fits the slot. False: there is
    // none, so the slot is needed after all.
    bool take_room();
    void take_slot();
    // Fills the room and shows the head.
    void enter();
    // Entered; peers' heads are looked at next.
    void pause_before_look() const {
        if (trades_lines()) {
            window_.pause_before_look(n_);
        } else if (is_rooted() && total_ == 0) {
            window_.measure_rarely(n_); // as one_shot.h
        }
    }
    // Whose head is needed before anything else: whom it reads from, who reads an area of its own, and everybody if
    // there is no root.
    bool concerns(int p) const;
    // Until p has entered, what this rank gives to itself moves, and what others have shown is fetched.
    void use_time_until_entered(int p) {
        const Until entered = window_.entered(p, n_);
        while (!entered.reached() && (own_.move_piece() || fetch_piece())) {
        }
    }
    // All of those are there. Throws MISMATCH, the operation being complete then.
    void settle();
    // Where an index tells how long parts are: whether all have told, so that nothing moves where counts differ. False:
    // see obstacle(). Throws as settle() does.
    bool knows_parts();
    // What this rank gives to itself, as far as it has not moved yet.
    void move_own();
    // Moves whatever can be moved. True if everything is done. Throws, the operation being complete then, if a peer
    // that matters has left it.
    bool advance();
    // What to wait for when it is not.
    Until obstacle() const {
        return obstacle_;
    }
    void finish();

private:
    using Side = Walk::Side;
    // What this rank reads of p's stream.
    struct Source {
        Walk shared, pair;
        size_t shared_end = 0, pair_begin = 0, pair_end = 0, end = 0;
        uint64_t base = 0, area = 0;
        const char *begin = nullptr;
        const char *begins[2] = {}; // of every other turn; equal if all lie in one place
        uint8_t turns = 0;
        uint8_t flows = 0; // as in its head
        Lent lent = Lent::no;
        bool is_listed = false;
        bool knows_part = false;         // what the index tells of it has been read
        LentWalk lent_shared, lent_pair; // of one that is listed
    };

    static uint64_t lines(size_t bytes) {
        return (bytes + line_bytes - 1) / line_bytes;
    }
    // What is written and read at a time: whole lines, and so are the areas that chunks go through. Of a stream that
    // fits its area, one of so many chunks.
    static size_t chunk_of(size_t total, size_t area, uint8_t chunks) {
        if (total <= area) {
            return lines((total + chunks - 1) / chunks) * line_bytes;
        }
        return std::min(longest_stream_step, area / stream_chunks / line_bytes * line_bytes);
    }
    uint8_t best_chunks(bool again) const;
    void fill_head(Head &head) const;
    void show_in_head();
    void show_whole(bool again);
    void begin_flow();
    // Readers wait for one writer, or writers for one reader.
    bool is_rooted() const {
        return exchange_.ops()[0].root >= 0;
    }
    // Whether p tells its readers where their parts are, were there nothing in them.
    bool shows_index(int p) const {
        const std::span<const Op> ops = exchange_.ops();
        return exchange_.tells_places() && (ops.size() > 1 || ops[0].kind != Kind::scatterv || p == ops[0].root);
    }
    bool trades_lines() const {
        return !is_rooted() && is_traded(window_, total_);
    }
    // Or of two ranks one gives much more than the other.
    bool goes_one_way() const {
        return is_rooted() || is_much_more(std::max(total_, taken_), std::min(total_, taken_));
    }
    bool is_longer_than_room() const {
        return total_ > area_;
    }
    // As a root that gives: it takes nothing.
    bool only_writes_in_steps() const {
        return is_rooted() && is_longer_than_room();
    }
    size_t taken_of_baton() const;
    void plan_out();
    bool fetch_piece();
    bool takes_all_of_streams() const;
    std::span<const char> shown_to_all(int p) const;
    bool is_inlined() const {
        return total_ > 0 && total_ <= inline_stream_bytes;
    }
    void pack(char *to, size_t bytes);
    CopyWay &writing() const {
        return window_.writing_to(offset_);
    }
    bool goes_in_turns() const;
    char *place_of_chunk(size_t at) const;
    void open_turns(Source &source, int p, uint8_t turns) const;
    uint8_t first_turn() const;
    bool must_read_first(const Source &source, uint64_t before) const;
    bool has_swapped(const Source &source, uint64_t before) const;
    void write_through(char *to, size_t bytes);
    void write_chunk();
    bool can_write();
    void keep(char *to, const char *from, size_t bytes) const;
    void take(char *to, const char *from, size_t bytes) const;
    void open(int p, size_t shared, size_t pair);
    size_t open_stream(Source &source, int p);
    PartOfStream place_of_part(int to, size_t bytes) const;
    uint64_t told() const;
    void open_arriving(int p, Arrivals &arrivals);
    void adopt(Source &source, int p, const PartOfStream &entry);
    void open_one_piece(Source &source, int p, size_t shared, size_t pair);
    static void place(Source &source, const PartOfStream &entry);
    size_t entry_end() const {
        return index_bytes(rank_ + 1);
    }
    bool has_read_indexes();
    void read_index(Source &source, int p);
    bool reads_mine(int p) const;
    bool is_attached() const;
    bool is_attachable(const void *buffer, size_t bytes) const;
    bool can_lend_out(const void *buffer, size_t bytes) const;
    bool find_lendable();
    bool may_list() const;
    bool reaches_all_memory() const;
    const char *first_byte() const;
    bool list_pieces(Lent kind);
    bool find_pieces();
    void open_pieces(Source &source, int p, size_t shared, size_t pair);
    void enter_lent(Head &head);
    void give_back();
    bool is_given_back();
    void read(Source &source, int p, size_t from, size_t until);
    bool read_lent(Source &source, int p, size_t until);
    bool read_attached(Source &source, int p, size_t from, size_t until);
    template <class Take> void read_parts(Source &source, size_t from, size_t until, Take take);
    bool has_passed(const Until &until) const;
    bool has_come(int p, size_t until);
    size_t end_of_step() const;
    bool read_step();
    void read_heads();
    bool is_all_for_me() const;
    bool comes_from(const Head &head) const;
    bool move_all();
    bool move_all_and_own();
    void leave(const Failure &failure);
    void refuse(const Failure &failure);

    Team &team_;
    Window &window_;
    const Exchange &exchange_;
    const Fingerprint &call_;
    uint64_t n_;
    int rank_, ranks_;

    OwnPart own_;

    // ---- writing
    Scratch out_memory_;
    PartOfStream *out_; // by reader
    size_t index_bytes_ = 0, shared_end_ = 0, total_ = 0;
    size_t taken_ = 0; // from the other one, if there are two that both know how much
    size_t written_ = 0;
    uint64_t area_ = 0, offset_ = 0;
    bool fits_slot_ = false;
    uint8_t turns_ = 0; // as in a head
    uint8_t flows_ = 0; // the same
    size_t chunk_ = 0;
    std::optional<Scratch> packed_; // in place and through an area: the input would be overwritten
    enum class Section : uint8_t { index, shared, pairs } section_ = Section::index;
    size_t section_at_ = 0, section_left_ = 0;
    int turn_ = 0;
    Walk walk_;
    CopyOfMessage message_; // plain until it begins
    // Lending: where it lies, and whether in the order of ranks, as one_shot.h shows it; or how a list tells where its
    // pieces lie.
    const void *lent_ = nullptr;
    Lent listed_ = Lent::no;
    bool lends_ = false, lends_blocks_ = false;
    int returned_ = 0;               // ranks looked at, of those that give back
    std::optional<Failure> failure_; // thrown when everybody has given back

    // The reader that the last can_write() stopped at, and what it needs.
    int slow_reader_ = -1;
    uint64_t need_ = 0;

    // ---- fetching
    uint64_t fetched_ranks_ = 0;
    size_t fetched_ = 0;
    std::span<const char> fetching_; // the rest of what p shows

    // ---- reading
    Scratch source_memory_;
    Source *sources_;
    size_t position_ = 0, step_ = 0;
    bool any_streams_ = false, borrows_ = false;
    bool is_paced_ = false; // a writer waits for its readers
    uint64_t baton_ = 0;    // in which the stream of a peer has come
    // What reading one of those costs that have asked.
    struct Asked {
        int by = -1;
        uint64_t ticks = 0;
        size_t bytes = 0;
    } asked_;
    bool is_bereft_ = false; // what is to be read has gone with its owner
    Until obstacle_{nullptr, 0, -1};
};

} // namespace xcoll

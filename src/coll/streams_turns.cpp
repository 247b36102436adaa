// Streams of two ranks that both give, through the slots that they swap (Window::slot), in turns of one area each:
//
//     turn        0        1        2        3
//     slot of 0   0 writes 1 writes 0 writes ...     a rank writes lines that it has read last,
//     slot of 1   1 writes 0 writes 1 writes ...     which are in its own cache
//
// Cost: as in exchange_streams.cpp, but bytes are written into lines that are near: between two cores of a Xeon that
// share no cache all-gathers take, data rewritten and read,
//
//     us                            192 KiB   256 KiB   512 KiB   1 MiB   2 MiB
//     in turns                      30        35        67        171     426
//     through an area in the ring   36        46        93        218     556
//
// Which slot a stream begins in follows from the longer of both, so it is the same on both ranks, and such that a
// message as long as the one before goes on with the swap; the head tells it to the reader. Turn t of a rank lies where
// turn t - 1 of its peer lay, and where its own turn t - 2 lay before. So whoever writes there must have read what the
// peer's stream had there; and the peer, where it wrote, had read what it overwrote. Where its stream has ended before,
// or lies elsewhere, only `used` tells that it has read this rank's own turn t - 2. Nobody waits for ever: a rank that
// must read first does, and if the next chunk has not come waits for a peer that has read less than itself, which so
// may write, or has to read what is there.
#include "coll/streams.h"

#include <algorithm>
#include <iterator>

namespace xcoll {

bool Streams::goes_in_turns() const {
    const size_t longest = std::max(total_, taken_);
    return window_.swaps_slots() && window_.has_wide_slots() && !exchange_.arrivals() && !goes_one_way() &&
           longest > window_.slot_room();
}

// 1: in the slot of its writer, 2: in the other one.
uint8_t Streams::first_turn() const {
    const size_t longest = std::max(total_, taken_), area = chunk_of(longest, area_, 1) * stream_chunks;
    const uint64_t turns = (longest + area - 1) / area;
    return turns % 2 != 0 && n_ / slot_count % 2 != 0 ? 2 : 1;
}

char *Streams::place_of_chunk(size_t at) const {
    return (turns_ ? window_.slot(rank_, n_, turns_ - 1 + at / area_) : window_.place(rank_, n_, offset_)) + at % area_;
}

void Streams::open_turns(Source &source, int p, uint8_t turns) const {
    source.turns = turns;
    for (size_t turn = 0; turn < std::size(source.begins); ++turn) {
        source.begins[turn] = turns ? window_.slot(p, n_, turns - 1 + turn) : source.begin;
    }
    source.begin = source.begins[0];
}

// Of the peer's stream there lie lines, of the first so many, where this rank would write.
bool Streams::must_read_first(const Source &source, uint64_t before) const {
    return source.turns != 0 && turns_ != 0 && std::min(before, lines(source.end)) > lines(position_);
}

// All that was there was the peer's.
bool Streams::has_swapped(const Source &source, uint64_t before) const {
    return source.turns != 0 && turns_ != 0 && before <= lines(source.end);
}

} // namespace xcoll

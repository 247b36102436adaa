// A walk through the bytes of some calls of an Exchange, in the order in which both ends count them: a piece at a time,
// between contiguous memory and wherever the views lie.
#pragma once

#include <algorithm>

#include "coll/exchange.h"
#include "coll/run_cursor.h"
#include "kernels/kernels.h"

namespace xcoll {

class ViewCursor {
public:
    enum class Side : uint8_t {
        shared_out, // what this rank gives to all
        pair_out,   // to `peer`
        shared_in,  // what `peer` gives to all
        pair_in,    // to this rank
    };
    ViewCursor() = default;
    ViewCursor(const Exchange &exchange, Side side, int peer) : exchange_(&exchange), side_(side), peer_(peer) {
    }
    // The next `bytes` bytes. There are as many.
    void copy_to(const Kernels &kernels, char *to, size_t bytes);
    void copy_from(const Kernels &kernels, const char *from, size_t bytes);
    // What this rank gives to itself, call by call: of its own bcast it takes nothing.
    static void move_own(const Kernels &kernels, const Exchange &exchange);
    // The same, to somebody who does it later: take(to, from).
    template <class Take> static void each_own(const Exchange &exchange, Take take);
    // The next bytes that lie together, at most so many.
    std::span<char> next(size_t most) {
        return !runs_.is_at_end() || load() ? runs_.next(most) : std::span<char>();
    }

private:
    bool load();
    Portion portion(const Op &op) const;
    template <class Move> void walk(size_t bytes, Move move);
    template <class Move> void walk_rows(size_t bytes, Move move);

    const Exchange *exchange_ = nullptr;
    Side side_ = Side::shared_out;
    int peer_ = 0;
    size_t op_ = 0;   // the call that is walked through
    size_t next_ = 0; // the next of its views
    RunCursor runs_;  // of that view
};

template <class Move> void ViewCursor::walk(size_t bytes, Move move) {
    while (bytes > 0) {
        const std::span<char> piece = next(bytes);
        if (piece.empty()) {
            return;
        }
        move(piece);
        bytes -= piece.size();
    }
}

template <class Take> void ViewCursor::each_own(const Exchange &exchange, Take take) {
    const int rank = exchange.rank();
    for (const Op &op : exchange.ops()) {
        const Portion out = exchange.out(op, rank), in = exchange.in(op, rank);
        if (!out.shape && !in.shape) { // most calls, without a look for their views
            if (const size_t bytes = std::min(out.count, in.count)) {
                take({in.base, bytes}, {out.base, bytes});
            }
            continue;
        }
        const Exchange one(op, rank, exchange.ranks());
        const bool shared = traits(op.kind).is_shared;
        ViewCursor from(one, shared ? Side::shared_out : Side::pair_out, rank);
        ViewCursor to(one, shared ? Side::shared_in : Side::pair_in, rank);
        to.walk(in.bytes(), [&](std::span<char> room) {
            from.walk(room.size(), [&](std::span<char> piece) {
                take(room.first(piece.size()), piece);
                room = room.subspan(piece.size());
            });
        });
    }
}

} // namespace xcoll

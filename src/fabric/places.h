// Places of whole lines one behind another in so many bytes, given back in the order in which they were taken: the
// payload ring (fabric/ring.h) and the short one (fabric/short_ring.h).
//
//     oldest holder                 next
//     |                             |
//     [ held | held | held          | free          ]       whoever comes last may go round to the front
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fabric/board.h"

namespace xcoll {

// Holder: what tells whose a place is. At most so many at once; one more finds no room, as if there were no bytes left.
template <class Holder, size_t most> class Places {
public:
    explicit Places(size_t bytes) : bytes_(bytes) {
    }
    size_t bytes() const {
        return bytes_;
    }
    // Where that many bytes are free, if need be after those at the front were given back: is_done(holder) says so.
    template <class IsDone> std::optional<size_t> take(size_t bytes, const Holder &holder, IsDone is_done) {
        const size_t whole_lines = (bytes + line_bytes - 1) / line_bytes * line_bytes;
        std::optional<size_t> begin = find(whole_lines);
        if (!begin) {
            while (oldest_ != newest_ && is_done(held_[oldest_ % most].holder)) {
                ++oldest_;
            }
            begin = find(whole_lines);
        }
        if (begin) {
            held_[newest_++ % most] = {*begin, holder};
            next_ = *begin + whole_lines;
        }
        return begin;
    }
    bool is_empty() const {
        return oldest_ == newest_;
    }
    // Of those that are held.
    const Holder &oldest() const {
        return held_[oldest_ % most].holder;
    }
    template <class Visit> void for_each(Visit visit) {
        for (size_t i = oldest_; i != newest_; ++i) {
            visit(held_[i % most].holder);
        }
    }

private:
    // What is held lies between the oldest holder's begin and next_, possibly around the end.
    std::optional<size_t> find(size_t bytes) const {
        if (newest_ - oldest_ == most) {
            return {};
        }
        const size_t front = is_empty() ? bytes_ : held_[oldest_ % most].begin; // as far as one may go from there
        if (!is_empty() && next_ <= front) {
            return next_ != front && next_ + bytes <= front ? std::optional(next_) : std::nullopt;
        }
        if (next_ + bytes <= bytes_) {
            return next_;
        }
        return bytes <= front ? std::optional<size_t>(0) : std::nullopt;
    }

    struct Held {
        size_t begin;
        Holder holder;
    };
    size_t bytes_;
    size_t next_ = 0;
    std::array<Held, most> held_{}; // in use: oldest_ .. newest_ - 1, modulo most
    size_t oldest_ = 0, newest_ = 0;
};

} // namespace xcoll

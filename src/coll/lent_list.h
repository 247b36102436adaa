// What a rank shows of a stream that it lends and that does not lie in one piece: the pieces, by who reads them.
//
//     | for rank 0 | for rank 1 | ... | for all | piece | piece | ...
//
// A part is some pieces that follow each other in the list. Their bytes are the reader's in the same order, wherever
// the reader cuts them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace xcoll {

class LentList {
public:
    // place: in the owner's segment or process, as the head says.
    struct Piece {
        uint64_t place, bytes;
    };
    struct Part {
        uint64_t first, bytes;
    };
    LentList(char *at, int ranks)
        : parts_(reinterpret_cast<Part *>(at)), pieces_(reinterpret_cast<Piece *>(parts_ + ranks + 1)), ranks_(ranks) {
    }
    static size_t room(int ranks, size_t pieces) {
        return (static_cast<size_t>(ranks) + 1) * sizeof(Part) + pieces * sizeof(Piece);
    }
    Part &for_rank(int p) const {
        return parts_[p];
    }
    Part &for_all() const {
        return parts_[ranks_];
    }
    Piece *pieces() const {
        return pieces_;
    }

private:
    Part *parts_;
    Piece *pieces_;
    int ranks_;
};

// Through the pieces of a part: where its bytes lie for a reader that finds the owner's memory at `base`.
class LentWalk {
public:
    void begin(const LentList &list, const LentList::Part &part, uintptr_t base) {
        next_ = list.pieces() + part.first;
        base_ = base;
        within_ = 0;
    }
    // Bytes that lie together from here on.
    size_t left() const {
        return next_->bytes - within_;
    }
    // Behind the next bytes, of those at most; where they lie.
    const char *pass(size_t bytes) {
        const auto *at = reinterpret_cast<const char *>(base_ + next_->place + within_);
        within_ += bytes;
        if (within_ == next_->bytes) {
            ++next_;
            within_ = 0;
        }
        return at;
    }

private:
    const LentList::Piece *next_ = nullptr;
    uintptr_t base_ = 0;
    size_t within_ = 0;
};

} // namespace xcoll

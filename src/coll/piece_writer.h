// Writes the pieces of a stream behind each other into a payload. Short pieces would each be too short to be stored
// but plainly, and would say nothing about how dear plain stores are. So where those are dear, short pieces are
// gathered nearby first; elsewhere only at times, to learn whether they should be.
#pragma once

#include <span>

#include "coll/small_copy.h"
#include "fabric/copy_way.h"

namespace xcoll {

class PieceWriter {
public:
    PieceWriter(CopyWay &writing, const Kernels &kernels, char *to, size_t bytes, uint64_t n)
        : writing_(writing), kernels_(kernels), to_(to),
          gathers_(bytes >= room && (writing.finds_plain_dear() || n % learning_interval == 0)) {
    }
    void put(std::span<const char> piece) {
        if (gathers_ && piece.size() < CopyWay::smallest) {
            if (gathered_ + piece.size() > room) {
                flush();
            }
            copy(near_ + gathered_, piece);
            gathered_ += piece.size();
            return;
        }
        flush();
        if (piece.size() < CopyWay::smallest) {
            copy(to_, piece);
        } else {
            writing_.copy(kernels_, to_, piece.data(), piece.size());
        }
        to_ += piece.size();
    }
    void flush() {
        if (gathered_ > 0) {
            writing_.copy(kernels_, to_, near_, gathered_);
            to_ += gathered_;
            gathered_ = 0;
        }
    }

private:
    static constexpr size_t room = CopyWay::always_timed;
    static constexpr uint64_t learning_interval = 16;
    static constexpr size_t small = 32;

    void copy(char *to, std::span<const char> piece) const {
        if (piece.size() <= small) {
            copy_small(to, piece.data(), piece.size());
        } else {
            kernels_.copy(to, piece.data(), piece.size());
        }
    }

    CopyWay &writing_;
    const Kernels &kernels_;
    char *to_;
    size_t gathered_ = 0;
    bool gathers_;
    alignas(64) char near_[room];
};

} // namespace xcoll

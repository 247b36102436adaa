// Writes the pieces of a stream behind each other into a payload. Short pieces would each be too short to be stored
// but plainly, and would say nothing about how dear plain stores are. So where messages go another way, short pieces
// are gathered nearby first; elsewhere only at times, to learn how they should go.
#pragma once

#include <span>

#include "coll/small_copy.h"
#include "fabric/copy_way.h"

namespace xcoll {

class PieceWriter {
public:
    PieceWriter(const CopyWay &writing, CopyOfMessage &message, const Kernels &kernels, char *to, size_t bytes,
                uint64_t n)
        : writing_(writing), message_(message), kernels_(kernels), to_(to),
          gathers_(bytes >= room && (message.way != Way::plain || n % learning_interval == 0)) {
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
            writing_.copy(message_, kernels_, to_, piece.data(), piece.size());
        }
        to_ += piece.size();
    }
    void flush() {
        if (gathered_ > 0) {
            writing_.copy(message_, kernels_, to_, near_, gathered_);
            to_ += gathered_;
            gathered_ = 0;
        }
    }

private:
    static constexpr size_t room = 4 * CopyWay::smallest;
    static constexpr uint64_t learning_interval = 16;
    static constexpr size_t small = 32;

    void copy(char *to, std::span<const char> piece) const {
        if (piece.size() <= small) {
            copy_small(to, piece.data(), piece.size());
        } else {
            kernels_.copy(to, piece.data(), piece.size());
        }
    }

    const CopyWay &writing_;
    CopyOfMessage &message_;
    const Kernels &kernels_;
    char *to_;
    size_t gathered_ = 0;
    bool gathers_;
    alignas(64) char near_[room];
};

} // namespace xcoll

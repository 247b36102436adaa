// Writes the pieces of a stream behind each other into a payload. Short pieces would each be too short to be stored
// past the cache, and would say nothing about how dear ordinary stores are. So where stores are streamed, short pieces
// are gathered nearby first; elsewhere only at times, to learn whether they should be.
#pragma once

#include <span>

#include "coll/small_copy.h"
#include "fabric/store_kind.h"

namespace xcoll {

class PieceWriter {
public:
    PieceWriter(StoreKind &store_kind, const Kernels &kernels, char *to, size_t bytes, uint64_t n)
        : store_kind_(store_kind), kernels_(kernels), to_(to),
          gathers_(bytes >= room && (store_kind.streaming() || n % learning_interval == 0)) {
    }
    void put(std::span<const char> piece) {
        if (gathers_ && piece.size() < StoreKind::smallest_streamed) {
            if (gathered_ + piece.size() > room) {
                flush();
            }
            copy(near_ + gathered_, piece);
            gathered_ += piece.size();
            return;
        }
        flush();
        if (piece.size() < StoreKind::smallest_streamed) {
            copy(to_, piece);
        } else {
            store_kind_.copy(kernels_, to_, piece.data(), piece.size());
        }
        to_ += piece.size();
    }
    void flush() {
        if (gathered_ > 0) {
            store_kind_.copy(kernels_, to_, near_, gathered_);
            to_ += gathered_;
            gathered_ = 0;
        }
    }

private:
    static constexpr size_t room = StoreKind::always_timed;
    static constexpr uint64_t learning_interval = 16;
    static constexpr size_t small = 32;

    void copy(char *to, std::span<const char> piece) const {
        if (piece.size() <= small) {
            copy_small(to, piece.data(), piece.size());
        } else {
            kernels_.copy(to, piece.data(), piece.size());
        }
    }

    StoreKind &store_kind_;
    const Kernels &kernels_;
    char *to_;
    size_t gathered_ = 0;
    bool gathers_;
    alignas(64) char near_[room];
};

} // namespace xcoll

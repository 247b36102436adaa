// A piece of memory that one rank owns and all ranks of its machine map: an anonymous, sealed file that has no name
// anywhere, so nothing is left behind whatever happens to the job, and /dev/shm and its size do not matter.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fabric/doorbell.h"

namespace xcoll {

// The first page of every segment.
struct SegmentHeader {
    static constexpr uint64_t magic_value = 0x78636f6c6c303252ull; // "xcoll02R"; changes with the layout of boards
    uint64_t magic;
    uint64_t bytes;
    uint64_t nonce; // random; peers check that they mapped what they were told about
    Bed bed;
    Sleepers sleepers; // those of node-local rank 0 count
    std::atomic<bool> has_left;
};

// One mapping of a segment; unmapped with the object.
class Segment {
public:
    Segment() = default;
    Segment(Segment &&other) noexcept
        : base_(std::exchange(other.base_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {
    }
    Segment &operator=(Segment &&other) noexcept {
        std::swap(base_, other.base_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Segment();

    // A segment of `bytes` of address space, of which the first `reserved` have memory now (an error now is better
    // than a SIGBUS later). *descriptor is for the peers; the caller closes it.
    static Segment create(size_t bytes, size_t reserved, int *descriptor);
    // For ranks that are threads of this process.
    static Segment create_private(size_t bytes);
    // Maps a peer's segment, `most` bytes of it, and checks that it is one.
    static Segment map(int descriptor, uint64_t nonce, size_t most = ~size_t{0});

    char *base() const {
        return base_;
    }
    size_t bytes() const {
        return bytes_;
    }
    SegmentHeader &header() const {
        return *reinterpret_cast<SegmentHeader *>(base_);
    }

private:
    Segment(char *base, size_t bytes) : base_(base), bytes_(bytes) {
    }
    char *base_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace xcoll

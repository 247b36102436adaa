// The symmetric heap: memory of a rank's segment that belongs to its user. The peers map it with the segment, so that
// collectives read and write it where it lies. It is address space until it is handed out, and again when it is freed.
//
// The place of a piece follows from the calls before it alone: ranks that make equal calls get equal offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/page.h"

namespace xcoll {

class Heap {
public:
    // [first, first + bytes) of the segment at `base`, which begins a page. descriptor: the segment's file, or -1;
    // stays the caller's.
    Heap(char *base, uint64_t first, size_t bytes, int descriptor, size_t page = page_bytes())
        : base_(base + first), bytes_(bytes), first_(first), descriptor_(descriptor), page_(page) {
    }
    Heap(const Heap &) = delete;
    Heap &operator=(const Heap &) = delete;

    // How much address space so many ranks can have each, beside so much that they have anyway: as much as is wanted,
    // or a half of it, or a half of that.
    static size_t affordable(size_t wanted, size_t beside, int ranks);

    // Aligned to a page, zero. Throws Failure(XCOLL_ERR_NO_MEMORY). Any thread.
    void *take(size_t bytes);
    // False if no piece begins there.
    bool give(void *piece);
    // Whether a piece that is in use has this address. Any thread.
    bool holds(const void *address);
    bool is_empty();

    // Whether the bytes lie in the heap, used or not: for operations, without a lock.
    bool reaches(const void *address, size_t bytes) const {
        const size_t at = offset(address);
        return at < bytes_ && bytes <= bytes_ - at;
    }
    // From the heap's begin, which lies at the same place of every segment.
    size_t offset(const void *address) const {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(base_);
    }
    // Where the heap begins in the segment.
    uint64_t first() const {
        return first_;
    }

private:
    size_t find_gap(size_t bytes) const;
    void add_memory(size_t at, size_t bytes) const;
    void drop_memory(size_t at, size_t bytes) const;

    char *base_;
    size_t bytes_;
    uint64_t first_;
    int descriptor_;
    size_t page_; // memory comes and goes in whole ones
    std::mutex mutex_;
    std::map<size_t, size_t> pieces_; // in use: offset and bytes
};

} // namespace xcoll

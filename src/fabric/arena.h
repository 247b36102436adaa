// The owner's side of its segment: who has which part of it. Boards and lanes come and go with communicators; the
// payload ring is there from the start.
//
//     | header page | payload ring | boards, lanes, ... (memory is added to the file as they are needed) | heap |
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace xcoll {

class Arena {
public:
    // [first, last): offsets in the segment. descriptor: the segment's file, to add memory to it, or -1; closed here.
    Arena(char *base, size_t first, size_t reserved, size_t last, int descriptor);
    ~Arena();
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    // Offsets of aligned pieces: zero when first handed out, as they were given back later. Throws
    // Failure(XCOLL_ERR_NO_MEMORY). Any thread.
    uint64_t take(size_t bytes);
    void give(uint64_t offset, size_t bytes);
    // -1: there is no file.
    int descriptor() const {
        return descriptor_;
    }
    char *at(uint64_t offset) const {
        return base_ + offset;
    }

private:
    char *base_;
    size_t next_, reserved_, last_;
    int descriptor_;
    std::mutex mutex_;
    std::map<size_t, std::vector<uint64_t>> free_; // by size: the pieces of a segment come in very few sizes
};

} // namespace xcoll

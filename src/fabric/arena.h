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

#include "base/descriptor.h"

namespace xcoll {

class Arena {
public:
    // [first, last): offsets in the segment. file: the segment's, to add memory to it, if it has one.
    Arena(char *base, size_t first, size_t reserved, size_t last, Descriptor file);
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    // Offsets of aligned pieces: zero when first handed out, as they were given back later. Throws
    // Failure(XCOLL_ERR_NO_MEMORY). Any thread.
    uint64_t take(size_t bytes);
    // 0 if so many of this size are in use, or if there is no memory.
    uint64_t take_if_fewer(size_t most, size_t bytes);
    void give(uint64_t offset, size_t bytes) noexcept;
    // -1: there is no file.
    int descriptor() const {
        return file_.get();
    }
    char *at(uint64_t offset) const {
        return base_ + offset;
    }

private:
    uint64_t take_piece(size_t size);

    char *base_;
    size_t next_, reserved_, last_;
    Descriptor file_;
    std::mutex mutex_;
    struct Pieces {
        std::vector<uint64_t> free; // with room for all: whoever gives one back cannot fail
        size_t all = 0;
    };
    std::map<size_t, Pieces> pieces_; // by size: the pieces of a segment come in very few sizes
};

} // namespace xcoll

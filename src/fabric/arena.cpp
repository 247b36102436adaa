#include "fabric/arena.h"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace xcoll {

namespace {
constexpr size_t page = 4096;
// Memory is added in steps, so that many small communicators do not cost a system call each.
constexpr size_t step = 64 * 1024;
constexpr size_t alignment = 128; // pairs of lines: some processors fetch them together

constexpr size_t round_up(size_t value, size_t to) {
    return (value + to - 1) / to * to;
}
} // namespace

Arena::Arena(char *base, size_t first, size_t reserved, size_t last, Descriptor file)
    : base_(base), next_(round_up(first, page)), reserved_(reserved), last_(last), file_(std::move(file)) {
}

uint64_t Arena::take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    return take_piece(round_up(bytes, alignment));
}

uint64_t Arena::take_if_fewer(size_t most, size_t bytes) {
    const size_t size = round_up(bytes, alignment);
    const std::lock_guard lock(mutex_);
    const Pieces &pieces = pieces_[size];
    if (pieces.all - pieces.free.size() >= most) {
        return 0;
    }
    try {
        return take_piece(size);
    } catch (const Failure &) {
        return 0;
    }
}

uint64_t Arena::take_piece(size_t size) {
    Pieces &pieces = pieces_[size];
    if (!pieces.free.empty()) {
        const uint64_t offset = pieces.free.back();
        pieces.free.pop_back();
        return offset;
    }
    if (pieces.free.capacity() == pieces.all) {
        pieces.free.reserve(2 * pieces.all + 1);
    }
    if (size > last_ - next_) {
        fail(XCOLL_ERR_NO_MEMORY,
             "the shared segment of %zu MiB is full: free communicators that are not needed any more", last_ >> 20);
    }
    const size_t end = next_ + size;
    if (end > reserved_ && file_) {
        const size_t target = std::min(round_up(end, step), last_);
        if (const int code =
                posix_fallocate(file_.get(), static_cast<off_t>(reserved_), static_cast<off_t>(target - reserved_));
            code != 0) {
            fail(XCOLL_ERR_NO_MEMORY, "no memory to enlarge a shared segment to %zu KiB: %s", target / 1024,
                 std::strerror(code));
        }
        reserved_ = target;
    }
    ++pieces.all;
    return std::exchange(next_, end);
}

void Arena::give(uint64_t offset, size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    pieces_.find(round_up(bytes, alignment))->second.free.push_back(offset);
}

} // namespace xcoll

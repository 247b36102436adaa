#include "fabric/arena.h"

#include <fcntl.h>
#include <unistd.h>

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

Arena::Arena(char *base, size_t first, size_t reserved, size_t last, int descriptor)
    : base_(base), next_(round_up(first, page)), reserved_(reserved), last_(last), descriptor_(descriptor) {
}

Arena::~Arena() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

uint64_t Arena::take(size_t bytes) {
    const size_t size = round_up(bytes, alignment);
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t> &list = free_[size];
    if (!list.empty()) {
        const uint64_t offset = list.back();
        list.pop_back();
        return offset;
    }
    if (size > last_ - next_) {
        fail(XCOLL_ERR_NO_MEMORY,
             "the shared segment of %zu MiB is full: free communicators that are not needed any more", last_ >> 20);
    }
    const size_t end = next_ + size;
    if (end > reserved_ && descriptor_ >= 0) {
        const size_t target = std::min(round_up(end, step), last_);
        if (const int code =
                posix_fallocate(descriptor_, static_cast<off_t>(reserved_), static_cast<off_t>(target - reserved_));
            code != 0) {
            fail(XCOLL_ERR_NO_MEMORY, "no memory to enlarge a shared segment to %zu KiB: %s", target / 1024,
                 std::strerror(code));
        }
        reserved_ = target;
    }
    return std::exchange(next_, end);
}

void Arena::give(uint64_t offset, size_t bytes) {
    const std::lock_guard lock(mutex_);
    free_[round_up(bytes, alignment)].push_back(offset);
}

} // namespace xcoll

#include "fabric/heap.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/error.h"
#include "base/read_text.h"

namespace xcoll {

namespace {

// Asking how much there is costs as much as handing out some of it.
constexpr size_t worth_asking = size_t{1} << 20;

// What the machine can hand out without ending somebody; all there is if it does not say. A file in memory grows until
// the kernel ends a process, so that is asked first.
size_t available_memory() {
    constexpr const char *line = "MemAvailable:";
    constexpr size_t kib = 1024;
    const std::string text = read_text("/proc/meminfo").value_or("");
    const size_t at = text.find(line);
    return at == std::string::npos ? ~size_t{0}
                                   : std::strtoull(text.c_str() + at + std::strlen(line), nullptr, 10) * kib;
}

} // namespace

size_t Heap::affordable(size_t wanted, size_t beside, int ranks) {
    // As much again is left to the program.
    const size_t page = page_bytes(), shares = 2 * static_cast<size_t>(ranks),
                 others = beside * static_cast<size_t>(ranks);
    for (size_t bytes = wanted / page * page; bytes > 0; bytes = bytes / 2 / page * page) {
        const bool fits = bytes <= (~size_t{0} - others) / shares;
        const size_t space = bytes * shares + others;
        void *all =
            fits ? mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                 : MAP_FAILED;
        if (all != MAP_FAILED) {
            munmap(all, space);
            return bytes;
        }
    }
    return 0;
}

// The first gap that is large enough; the heap's end if there is none.
size_t Heap::find_gap(size_t bytes) const {
    size_t at = 0;
    for (const auto &[begin, length] : pieces_) {
        if (begin - at >= bytes) {
            return at;
        }
        at = begin + length;
    }
    return bytes_ - at >= bytes ? at : bytes_;
}

void Heap::add_memory(size_t at, size_t bytes) const {
    int code = bytes >= worth_asking && bytes > available_memory() ? ENOMEM : 0;
    if (code == 0 && descriptor_ >= 0) {
        code = posix_fallocate(descriptor_, static_cast<off_t>(first_ + at), static_cast<off_t>(bytes));
    }
    if (code != 0) {
        drop_memory(at, bytes); // a part of it may be there
        fail(XCOLL_ERR_NO_MEMORY, "no memory for %zu KiB more of the symmetric heap: %s", bytes / 1024,
             std::strerror(code));
    }
}

void Heap::drop_memory(size_t at, size_t bytes) const {
    if (descriptor_ < 0) {
        madvise(base_ + at, bytes, MADV_DONTNEED);
    } else {
        fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first_ + at),
                  static_cast<off_t>(bytes));
    }
}

void *Heap::take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t rounded = bytes > bytes_ ? bytes_ + page_ : (bytes + page_ - 1) / page_ * page_;
    const size_t at = find_gap(rounded);
    if (at == bytes_) {
        fail(XCOLL_ERR_NO_MEMORY,
             "the symmetric heap of %zu MiB has no room for %zu bytes in one piece: free what is not needed any more, "
             "or raise XCOLL_HEAP or this process's limit of address space",
             bytes_ >> 20, bytes);
    }
    const auto piece = pieces_.emplace(at, rounded).first;
    try {
        add_memory(at, rounded);
    } catch (...) {
        pieces_.erase(piece);
        throw;
    }
    return base_ + at;
}

bool Heap::give(void *piece) {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(offset(piece));
    if (found == pieces_.end()) {
        return false;
    }
    drop_memory(found->first, found->second);
    pieces_.erase(found);
    return true;
}

bool Heap::holds(const void *address) {
    const std::lock_guard lock(mutex_);
    const size_t at = offset(address);
    const auto behind = pieces_.upper_bound(at);
    return behind != pieces_.begin() && at - std::prev(behind)->first < std::prev(behind)->second;
}

bool Heap::is_empty() {
    const std::lock_guard lock(mutex_);
    return pieces_.empty();
}

} // namespace xcoll

#include "base/mapped_part.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_space.h"

namespace xcoll {

MappedPart::~MappedPart() {
    if (base_) {
        munmap(base_, mapped_);
    }
}

int MappedPart::map(int file, size_t at, size_t bytes) {
    before_ = at % static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = before_ + bytes;
    void *base = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at - before_));
    if (base == MAP_FAILED) {
        return errno;
    }
    madvise(base, mapped_, MADV_DONTFORK); // a child does not write into its parent's file
    touch_pages(base, mapped_);            // or one in 64 of the first operations waits
    base_ = static_cast<char *>(base);
    return 0;
}

} // namespace xcoll

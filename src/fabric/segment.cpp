#include "fabric/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file_space.h"
#include "base/random.h"

namespace xcoll {

namespace {

// How to make segments smaller, and what does not.
constexpr char less_heap[] =
    "lower XCOLL_HEAP; 320 MiB of a segment are for communicators yet to come, whatever the settings";

char *map_shared(int descriptor, size_t bytes) {
    const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (base == MAP_FAILED) {
        if (errno == ENOMEM) {
            fail(XCOLL_ERR_NO_MEMORY,
                 "no address space for a shared segment of %zu KiB; every rank maps those of all ranks of its machine: "
                 "raise the limit (ulimit -v), start fewer ranks on it, or %s",
                 bytes / 1024, less_heap);
        }
        fail_system("mmap of a shared segment");
    }
    // A child of fork must not take part: it would write into the parent's messages.
    madvise(base, bytes, MADV_DONTFORK);
    return static_cast<char *>(base);
}

void write_header(char *base, size_t bytes) {
    auto *header = new (base) SegmentHeader{};
    header->bytes = bytes;
    fill_random(&header->nonce, sizeof header->nonce);
    header->magic = SegmentHeader::magic_value;
}

} // namespace

Segment::~Segment() {
    if (base_) {
        munmap(base_, bytes_);
    }
}

Segment Segment::create(size_t bytes, size_t reserved, int *descriptor) {
    if (!may_be_as_large(bytes)) {
        fail(XCOLL_ERR_NO_MEMORY,
             "a shared segment is a file of %zu KiB, most of which takes no memory, and this process may not make one "
             "so large: raise the limit (ulimit -f), or %s",
             bytes / 1024, less_heap);
    }
    const int file = above_standard(memfd_create("xcoll", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file < 0) {
        fail_system("memfd_create");
    }
    try {
        if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
            fail_system("ftruncate of a shared segment");
        }
        if (const int code = posix_fallocate(file, 0, static_cast<off_t>(reserved)); code != 0) {
            fail(XCOLL_ERR_NO_MEMORY,
                 "no memory for a shared segment of %zu KiB: %s. Lower XCOLL_SHM_BUDGET or raise the limit of this "
                 "container",
                 reserved / 1024, std::strerror(code));
        }
        if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
            fail_system("sealing a shared segment");
        }
        Segment segment(map_shared(file, bytes), bytes);
        // In the first turn of the ring, allreduces of 16 KiB took 14 instead of 8 us without it, on a Xeon virtual
        // machine in November 2026. What is mapped of the peers comes in larger portions, and is more.
        touch_pages(segment.base_, reserved);
        write_header(segment.base_, bytes);
        *descriptor = file;
        return segment;
    } catch (...) {
        close(file);
        throw;
    }
}

Segment Segment::create_private(size_t bytes) {
    Segment segment(map_shared(-1, bytes), bytes);
    write_header(segment.base_, bytes);
    return segment;
}

Segment Segment::map(int descriptor, uint64_t nonce, size_t most) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        fail_system("fstat of a peer's segment");
    }
    const int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || status.st_size < static_cast<off_t>(sizeof(SegmentHeader))) {
        fail(XCOLL_ERR_AUTH, "a peer sent something that is not a segment of xcoll (seals %#x, %lld bytes)",
             static_cast<unsigned>(seals), static_cast<long long>(status.st_size));
    }
    const auto bytes = static_cast<size_t>(status.st_size);
    const size_t mapped = std::min(bytes, most);
    Segment segment(map_shared(descriptor, mapped), mapped);
    const SegmentHeader &header = segment.header();
    if (header.magic != SegmentHeader::magic_value) {
        fail(XCOLL_ERR_BOOTSTRAP,
             "a peer's shared segment has another layout (%#llx, expected %#llx): all ranks must use the same build of "
             "xcoll",
             static_cast<unsigned long long>(header.magic),
             static_cast<unsigned long long>(SegmentHeader::magic_value));
    }
    if (header.bytes != bytes || header.nonce != nonce) {
        fail(XCOLL_ERR_AUTH, "the shared segment that arrived is not the one that the peer announced");
    }
    return segment;
}

} // namespace xcoll

#include "base/file_space.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace xcoll {

bool may_be_as_large(size_t bytes) {
    rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

int add_file_space(int file, size_t at, size_t bytes) {
    if (!may_be_as_large(at + bytes)) {
        return EFBIG;
    }
    return posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(bytes));
}

void touch_pages([[maybe_unused]] void *base, [[maybe_unused]] size_t bytes) {
#ifdef MADV_POPULATE_WRITE
    madvise(base, bytes, MADV_POPULATE_WRITE);
#endif
}

} // namespace xcoll

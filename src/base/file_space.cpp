#include "base/file_space.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace xcoll {

int add_file_space(int file, size_t at, size_t bytes) {
    rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < at + bytes) {
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

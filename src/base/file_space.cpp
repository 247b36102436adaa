#include "base/file_space.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>

namespace xcoll {

int add_file_space(int file, size_t at, size_t bytes) {
    rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < at + bytes) {
        return EFBIG;
    }
    return posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(bytes));
}

} // namespace xcoll

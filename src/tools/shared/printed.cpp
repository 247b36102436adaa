#include "tools/shared/printed.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace xcoll::tools {

int once_printed(const char *program, int code) {
    errno = 0;
    const bool is_written = std::fflush(stdout) == 0;
    if (is_written && std::ferror(stdout) == 0) {
        return code;
    }
    // Where an earlier part was lost and the rest was not, nobody knows the reason any more.
    std::fprintf(stderr, "%s: cannot write to standard output: %s\n", program,
                 is_written ? "a part is lost, as on a disk that is full" : std::strerror(errno));
    return code != 0 ? code : 1;
}

} // namespace xcoll::tools

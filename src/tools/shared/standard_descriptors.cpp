#include "tools/shared/standard_descriptors.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace xcoll::tools {

void keep_closed_standard_descriptors() {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
        if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) {
            continue;
        }
        // The lowest number that is free is this one. Read-only, so that writing fails; the input the other way round.
        open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

} // namespace xcoll::tools

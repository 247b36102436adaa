#include "tools/shared/standard_descriptors.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace xcoll::tools {

void keep_closed_standard_descriptors(Unread what_is_written) {
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
        if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) {
            continue;
        }
        // The lowest number that is free is this one. Writing to it fails if it is open for reading only; so for the
        // input, the other way round.
        const int failing = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        open("/dev/null", what_is_written == Unread::fails ? failing : O_RDWR);
    }
}

} // namespace xcoll::tools

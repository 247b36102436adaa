#include "boot/lease.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/error.h"

namespace xcoll {

namespace {

struct flock lock_on_all() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace

Lease::Lease() : file_(memfd_create("xcoll-lease", MFD_CLOEXEC)) {
    if (!file_) {
        fail_system("memfd_create");
    }
}

bool Lease::take() {
    struct flock lock = lock_on_all();
    // Threads of this process do not get here twice: whoever asks has taken the id out of the process's list.
    return fcntl(file_.get(), F_SETLK, &lock) == 0 && !was_taken() && pwrite(file_.get(), "x", 1, 0) == 1;
}

bool Lease::was_taken() const {
    char byte;
    return pread(file_.get(), &byte, 1, 0) == 1;
}

bool Lease::is_held() const {
    struct flock lock = lock_on_all();
    return fcntl(file_.get(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

} // namespace xcoll

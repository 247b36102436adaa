#include "boot/lease.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/error.h"

namespace xcoll {

namespace {

// A limit of file sizes may forbid even one byte (base/file_space.h), and a file of none is not to grow anyway.
constexpr int mark = F_SEAL_GROW;

struct flock lock_on_all() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace

Lease::Lease() : file_(memfd_create("xcoll-lease", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (!file_) {
        fail_system("memfd_create");
    }
}

bool Lease::take() {
    struct flock lock = lock_on_all();
    // Threads of this process do not get here twice: whoever asks has taken the id out of the process's list.
    return fcntl(file_.get(), F_SETLK, &lock) == 0 && !was_taken() && fcntl(file_.get(), F_ADD_SEALS, mark) == 0;
}

bool Lease::was_taken() const {
    const int seals = fcntl(file_.get(), F_GET_SEALS);
    return seals >= 0 && (seals & mark) != 0;
}

bool Lease::is_held() const {
    struct flock lock = lock_on_all();
    return fcntl(file_.get(), F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

} // namespace xcoll

#include "fabric/attach.h"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace xcoll {

std::string try_to_attach(int64_t process, const uint64_t *word, uint64_t value) {
    uint64_t found = ~value;
    AttachedRead read(process);
    read.add(reinterpret_cast<char *>(&found), reinterpret_cast<const char *>(word), sizeof found);
    const int error = read.finish();
    if (error != 0) {
        return format("process_vm_readv from process %lld: %s", static_cast<long long>(process), std::strerror(error));
    }
    return found == value ? "" : format("process %lld is another one here", static_cast<long long>(process));
}

bool kernel_copies(const void *memory, size_t bytes) {
    char ends[2];
    const auto *first = static_cast<const char *>(memory);
    AttachedRead read(getpid());
    read.add(&ends[0], first, 1);
    read.add(&ends[1], first + bytes - 1, 1);
    return read.finish() == 0;
}

void AttachedRead::Pieces::add(char *at, size_t bytes) {
    if (continues(at)) {
        all[end - 1].iov_len += bytes;
    } else {
        all[end++] = {at, bytes};
    }
}

// The first ones, which have been copied.
void AttachedRead::Pieces::drop(size_t bytes) {
    for (; first < end && bytes >= all[first].iov_len; ++first) {
        bytes -= all[first].iov_len;
    }
    if (first < end) {
        all[first] = {static_cast<char *>(all[first].iov_base) + bytes, all[first].iov_len - bytes};
    }
}

void AttachedRead::add(char *to, const char *from, size_t bytes) {
    if (bytes == 0) {
        return;
    }
    if (!here_.takes(to) || !there_.takes(from)) {
        flush();
    }
    here_.add(to, bytes);
    there_.add(const_cast<char *>(from), bytes);
}

int AttachedRead::finish() {
    flush();
    return error_;
}

// The kernel may stop early: at a page that is not there, or when it has copied as much as one call may.
void AttachedRead::flush() {
    while (here_.first < here_.end && error_ == 0) {
        const ssize_t got =
            process_vm_readv(static_cast<pid_t>(process_), &here_.all[here_.first], here_.end - here_.first,
                             &there_.all[there_.first], there_.end - there_.first, 0);
        if (got <= 0) {
            error_ = got < 0 ? errno : EFAULT;
            break;
        }
        here_.drop(static_cast<size_t>(got));
        there_.drop(static_cast<size_t>(got));
    }
    here_.first = here_.end = there_.first = there_.end = 0;
}

} // namespace xcoll

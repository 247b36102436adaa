#include "fabric/attach.h"

#include <sys/types.h>

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

void AttachedRead::add(char *to, const char *from, size_t bytes) {
    if (count_ == most_pieces || (count_ > 0 && from != from_ + bytes_)) {
        flush();
    }
    if (count_ == 0) {
        from_ = from;
        bytes_ = 0;
    }
    pieces_[count_++] = {to, bytes};
    bytes_ += bytes;
}

int AttachedRead::finish() {
    flush();
    return error_;
}

// The kernel may stop early: at a page that is not there, or when it has copied as much as one call may.
void AttachedRead::flush() {
    iovec *next = pieces_.data();
    while (count_ > 0 && error_ == 0) {
        const iovec there{const_cast<char *>(from_), bytes_};
        const ssize_t got = process_vm_readv(static_cast<pid_t>(process_), next, count_, &there, 1, 0);
        if (got <= 0) {
            error_ = got < 0 ? errno : EFAULT;
            break;
        }
        auto copied = static_cast<size_t>(got);
        from_ += copied;
        bytes_ -= copied;
        for (; count_ > 0 && copied >= next->iov_len; ++next, --count_) {
            copied -= next->iov_len;
        }
        if (count_ > 0) {
            *next = {static_cast<char *>(next->iov_base) + copied, next->iov_len - copied};
        }
    }
    count_ = 0;
}

} // namespace xcoll

#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace xcoll {

// The same open file under a number that no program writes to by accident: one whose standard output is closed would,
// where that number is given to the next file. Negative numbers stay.
inline int above_standard(int number) {
    if (number < 0 || number > STDERR_FILENO) {
        return number;
    }
    const int other = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (other < 0) {
        return number;
    }
    close(number);
    return other;
}

// The number of an open file, above the standard ones, which closes it.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(above_standard(number)) {
    }
    Descriptor(Descriptor &&other) noexcept : number_(other.release()) {
    }
    Descriptor &operator=(Descriptor &&other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        reset();
    }
    int get() const {
        return number_;
    }
    int release() {
        return std::exchange(number_, -1);
    }
    void reset() {
        if (number_ >= 0) {
            close(release());
        }
    }
    explicit operator bool() const {
        return number_ >= 0;
    }

private:
    int number_ = -1;
};

} // namespace xcoll

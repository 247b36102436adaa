// A part of a file in memory, to be written, as long as this lives. It may begin anywhere: the format of a file does
// not depend on the pages of who writes it, which have 4, 16 or 64 KiB.
#pragma once

#include <cstddef>
#include <utility>

namespace xcoll {

class MappedPart {
public:
    MappedPart() = default;
    MappedPart(MappedPart &&other) noexcept
        : base_(std::exchange(other.base_, nullptr)), before_(other.before_), mapped_(other.mapped_) {
    }
    MappedPart &operator=(MappedPart &&) = delete;
    ~MappedPart();

    // Once, where the file has room. Returns errno, 0 if all is well.
    int map(int file, size_t at, size_t bytes);
    char *data() const {
        return base_ + before_;
    }

private:
    char *base_ = nullptr;
    size_t before_ = 0, mapped_ = 0; // of the page in which the part begins; of all its pages
};

} // namespace xcoll

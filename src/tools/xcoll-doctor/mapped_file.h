// A file that others write, as long as this lives.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <sys/stat.h>

namespace xcoll::doctor {

class MappedFile {
public:
    explicit MappedFile(int file) {
        struct stat status;
        if (fstat(file, &status) == 0 && status.st_size > 0) {
            bytes_ = static_cast<size_t>(status.st_size);
            void *base = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
            base_ = base != MAP_FAILED ? static_cast<const char *>(base) : nullptr;
        }
    }
    ~MappedFile() {
        if (base_) {
            munmap(const_cast<char *>(base_), bytes_);
        }
    }
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;

    // nullptr if the file is too short for so many.
    template <class T> const T *at(size_t place, size_t count = 1) const {
        const bool is_there = base_ && place <= bytes_ && count <= (bytes_ - place) / sizeof(T);
        return is_there ? reinterpret_cast<const T *>(base_ + place) : nullptr;
    }

private:
    const char *base_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace xcoll::doctor

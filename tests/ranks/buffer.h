// A test's buffer: memory of its own, or from the rank's symmetric heap.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ranks.h"

namespace ranks {

template <class T> class Buffer {
public:
    Buffer() = default;
    // heap: a communicator, or XCOLL_COMM_NULL for memory of its own.
    Buffer(size_t count, xcoll_comm_t heap) : count_(count), heap_(heap) {
        if (heap_ != XCOLL_COMM_NULL) {
            void *memory = nullptr;
            succeed(xcoll_mem_alloc(heap, count * sizeof(T), &memory));
            data_ = static_cast<T *>(memory);
        } else {
            data_ = static_cast<T *>(std::calloc(count, sizeof(T)));
        }
    }
    Buffer(Buffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), count_(other.count_), heap_(other.heap_) {
    }
    Buffer &operator=(Buffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(count_, other.count_);
        std::swap(heap_, other.heap_);
        return *this;
    }
    ~Buffer() {
        if (heap_ != XCOLL_COMM_NULL) {
            succeed(xcoll_mem_free(XCOLL_COMM_NULL, data_));
        } else {
            std::free(data_);
        }
    }
    // The same content at another place.
    Buffer elsewhere() const {
        Buffer copy(count_, heap_);
        std::copy(begin(), end(), copy.begin());
        return copy;
    }
    T *data() const {
        return data_;
    }
    size_t size() const {
        return count_;
    }
    T *begin() const {
        return data_;
    }
    T *end() const {
        return data_ + count_;
    }
    T &operator[](size_t i) const {
        return data_[i];
    }

private:
    T *data_ = nullptr;
    size_t count_ = 0;
    xcoll_comm_t heap_ = XCOLL_COMM_NULL;
};

} // namespace ranks

// A simulated rank's buffer: in its own memory, or in its symmetric heap, where peers may use it. It is
// zero again as soon as it is given back, so whoever uses it longer than its owner's operation finds that out.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "fabric/heap.h"

namespace xcoll::sim {

class Memory {
public:
    Memory() = default;
    // heap: nullptr for memory of its own.
    Memory(Heap *heap, size_t bytes, unsigned char content) : heap_(bytes > 0 ? heap : nullptr), bytes_(bytes) {
        if (heap_) {
            data_ = static_cast<unsigned char *>(heap_->take(bytes));
        } else {
            own_.resize(bytes);
            data_ = own_.data();
        }
        std::fill_n(data_, bytes, content);
    }
    Memory(Memory &&other) noexcept
        : own_(std::move(other.own_)), heap_(std::exchange(other.heap_, nullptr)),
          data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {
    }
    Memory &operator=(Memory &&other) noexcept {
        std::swap(own_, other.own_);
        std::swap(heap_, other.heap_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Memory() {
        if (heap_) {
            heap_->give(data_);
        } else {
            std::fill(own_.begin(), own_.end(), 0);
        }
    }
    unsigned char *data() {
        return data_;
    }
    const unsigned char *begin() const {
        return data_;
    }
    const unsigned char *end() const {
        return data_ + bytes_;
    }

private:
    std::vector<unsigned char> own_;
    Heap *heap_ = nullptr;
    unsigned char *data_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace xcoll::sim

// Memory for coroutine frames: taken and given back without malloc once a communicator has warmed up.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace xcoll {

// Blocks in a few sizes, each size with a list of free ones. Used by whoever drives the communicator, so no lock.
// Blocks are returned to the system only at the end: a communicator needs as many as it once had in flight.
class FramePool {
public:
    FramePool() = default;
    FramePool(const FramePool &) = delete;
    FramePool &operator=(const FramePool &) = delete;
    ~FramePool() {
        for (Free *list : free_) {
            while (list) {
                Free *next = list->next;
                ::operator delete(list);
                list = next;
            }
        }
    }

    void *take(size_t bytes) {
        const size_t size = size_class(bytes);
        if (size >= classes) {
            return ::operator new(bytes);
        }
        if (Free *block = free_[size]) {
            free_[size] = block->next;
            return block;
        }
        return ::operator new((size + 1) * granule);
    }
    void give(void *block, size_t bytes) noexcept {
        const size_t size = size_class(bytes);
        if (size >= classes) {
            ::operator delete(block);
            return;
        }
        free_[size] = new (block) Free{free_[size]};
    }

private:
    // Frames of this library are 100 to 1200 bytes with g++ 12, those of streams the largest; others go to the heap.
    static constexpr size_t granule = 64;
    static constexpr size_t classes = 24;
    struct Free {
        Free *next;
    };
    static size_t size_class(size_t bytes) {
        return (bytes - 1) / granule;
    }
    std::array<Free *, classes> free_{};
};

} // namespace xcoll

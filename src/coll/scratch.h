// Private memory for what an operation receives and has yet to add: taken when it starts, given back with its frame.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

namespace xcoll {

// Blocks in powers of two, kept for the next operation. Used by whoever drives the communicator, so no lock.
class ScratchPool {
public:
    ScratchPool() = default;
    ScratchPool(const ScratchPool &) = delete;
    ScratchPool &operator=(const ScratchPool &) = delete;
    ~ScratchPool() {
        for (Free *list : free_) {
            while (list) {
                release(std::exchange(list, list->next));
            }
        }
    }

    void *take(size_t bytes) {
        const size_t size = size_class(bytes);
        if (Free *block = free_[size]) {
            free_[size] = block->next;
            kept_ -= block_bytes(size);
            return block;
        }
        return ::operator new(block_bytes(size), alignment);
    }
    void give(void *block, size_t bytes) noexcept {
        const size_t size = size_class(bytes);
        if (kept_ + block_bytes(size) > most_kept) {
            release(block);
            return;
        }
        kept_ += block_bytes(size);
        free_[size] = new (block) Free{free_[size]};
    }

private:
    // As much as several operations in flight need; what one exceptionally large message took goes back.
    static constexpr size_t most_kept = size_t{16} << 20;
    static constexpr size_t smallest = 1024;
    static constexpr size_t classes = 64;
    static constexpr std::align_val_t alignment{64};
    struct Free {
        Free *next;
    };
    static size_t size_class(size_t bytes) {
        return bytes <= smallest ? 0 : static_cast<size_t>(std::bit_width((bytes - 1) / smallest));
    }
    static size_t block_bytes(size_t size) {
        return smallest << size;
    }
    static void release(void *block) noexcept {
        ::operator delete(block, alignment);
    }

    std::array<Free *, classes> free_{};
    size_t kept_ = 0;
};

// One block, for as long as this lives.
class Scratch {
public:
    Scratch(ScratchPool &pool, size_t bytes)
        : pool_(pool), bytes_(bytes), data_(static_cast<char *>(pool.take(bytes))) {
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    ~Scratch() {
        pool_.give(data_, bytes_);
    }
    char *data() const {
        return data_;
    }

private:
    ScratchPool &pool_;
    size_t bytes_;
    char *data_;
};

} // namespace xcoll

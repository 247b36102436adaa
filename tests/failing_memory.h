// Makes allocations fail: those of one thread, from the n-th on or only that one, whoever asks for them: the library,
// its C++ runtime or the system's library on its behalf. A program that includes this brings an allocator of its own.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace failing {

enum class Which { one, all_from };

// Of one thread. Plain words, so that looking at them asks for no memory.
struct Plan {
    bool is_on;
    Which which;
    uint64_t n;     // the first that fails, from 1 on
    uint64_t asked; // so far
    uint64_t refused;
};
inline thread_local Plan plan;

inline bool refuses() {
    if (!plan.is_on) {
        return false;
    }
    ++plan.asked;
    const bool now = plan.which == Which::one ? plan.asked == plan.n : plan.asked >= plan.n;
    plan.refused += now;
    return now;
}

// For as long as it lives, on its thread.
class Memory {
public:
    Memory(Which which, uint64_t n) {
        plan = {true, which, n, 0, 0};
    }
    ~Memory() {
        plan.is_on = false;
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
};
// How many allocations the last Memory of this thread let fail.
inline uint64_t refused() {
    return plan.refused;
}

} // namespace failing

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING_NEW_ONLY // the sanitizer's own malloc must stay
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAILING_NEW_ONLY
#endif
#endif

#ifdef FAILING_NEW_ONLY

inline void *block_or_nothing(size_t bytes, size_t alignment) {
    void *block = nullptr;
    return failing::refuses() || posix_memalign(&block, alignment, bytes) != 0 ? nullptr : block;
}
inline void *failing_new(size_t bytes, size_t alignment) {
    if (void *block = block_or_nothing(bytes, alignment)) {
        return block;
    }
    throw std::bad_alloc();
}
void *operator new(size_t bytes) {
    return failing_new(bytes, alignof(std::max_align_t));
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
    return block_or_nothing(bytes, alignof(std::max_align_t));
}
void *operator new(size_t bytes, std::align_val_t alignment) {
    return failing_new(bytes, static_cast<size_t>(alignment));
}
void operator delete(void *block) noexcept {
    std::free(block);
}
void operator delete(void *block, size_t) noexcept {
    std::free(block);
}
void operator delete(void *block, std::align_val_t) noexcept {
    std::free(block);
}
void operator delete(void *block, size_t, std::align_val_t) noexcept {
    std::free(block);
}

#else

// The library's C++ runtime is its own, so only what lies below that is in reach; the system's library asks here, too.
extern "C" {

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) noexcept {
    return failing::refuses() ? (errno = ENOMEM, nullptr) : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) noexcept {
    return failing::refuses() ? (errno = ENOMEM, nullptr) : __libc_calloc(count, bytes);
}
void *realloc(void *block, size_t bytes) noexcept {
    return failing::refuses() ? (errno = ENOMEM, nullptr) : __libc_realloc(block, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) noexcept {
    return failing::refuses() ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, bytes);
}
int posix_memalign(void **block, size_t alignment, size_t bytes) noexcept {
    *block = failing::refuses() ? nullptr : __libc_memalign(alignment, bytes);
    return *block ? 0 : ENOMEM;
}
}

#endif

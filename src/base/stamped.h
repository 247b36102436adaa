// A few words that their owner rewrites while others copy them, also from other processes: a copy is whole, or it is
// refused. Nobody waits for anybody, and the owner executes plain stores and nothing else on most processors.
//
//     owner, round k:   stamp = 0;   words = w(k), releasing;   stamp = s(k), releasing        all s(k) differ
//     reader:           s = stamp, acquiring;   copy the words, acquiring;   stamp == s != 0?
//
// Why the copy is that of one round: the reader that finds s(k) sees all that the owner did before, so each word is of
// round k or of a later one. A word of round m > k was stored behind the 0 of round m, so who has read it sees that 0,
// or what came later, at its second look, and no s(k) any more. The model tests/model/stamped.pml says the same.
//
// Owners may follow each other, but one must know that the other has finished.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xcoll {

// Words that others look at.
template <class T> void show(T &word, T value, std::memory_order order = std::memory_order_release) {
    static_assert(std::atomic_ref<T>::is_always_lock_free && sizeof(T) == sizeof(uint64_t));
    std::atomic_ref(word).store(value, order);
}
template <class T> T look_at(const T &word, std::memory_order order = std::memory_order_acquire) {
    return std::atomic_ref(const_cast<T &>(word)).load(order); // an atomic_ref to const cannot be had before C++26
}

template <size_t count> struct alignas(32) Stamped {
    uint64_t stamp; // 0: there is nothing, or the words change
    uint64_t words[count];

    void rewrite(uint64_t new_stamp, const uint64_t (&values)[count]) {
        show(stamp, uint64_t{0}, std::memory_order_relaxed);
        for (size_t i = 0; i < count; ++i) {
            show(words[i], values[i]);
        }
        show(stamp, new_stamp);
    }
    // The same words from now on under another stamp; nothing if they have been rewritten.
    void restamp(uint64_t old_stamp, uint64_t new_stamp) {
        if (look_at(stamp, std::memory_order_relaxed) == old_stamp) [[likely]] {
            show(stamp, new_stamp);
        }
    }

    // A whole copy, or one whose stamp is 0. An owner that runs has written it in a moment; one that was stopped never
    // will.
    Stamped copy() const {
        constexpr int attempts = 100;
        Stamped seen;
        for (int attempt = 0; attempt < attempts; ++attempt) {
            seen.stamp = look_at(stamp);
            for (size_t i = 0; i < count; ++i) {
                seen.words[i] = look_at(words[i]);
            }
            if (seen.stamp != 0 && look_at(stamp, std::memory_order_relaxed) == seen.stamp) {
                return seen;
            }
        }
        return {};
    }
};

} // namespace xcoll

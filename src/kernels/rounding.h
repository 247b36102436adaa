// Numbers of 8 and 16 bits are always rounded to nearest, whatever the caller's thread was told: instruction sets have
// rules of their own for converting them, some of which follow the thread.
//
// No arithmetic leaves the time between the two stores of the mode: it begins with a load and ends with a store, and
// neither passes them.
#pragma once

#include <cstdint>

#include "kernels/formats.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace xcoll {
namespace {

template <class T> inline constexpr bool is_small_float = !is_same<Accumulator<T>, T>;

class ToNearest {
public:
    ToNearest() : before_(control()) {
        if ((before_ & rounding) != 0) [[unlikely]] {
            set_control(before_ & ~rounding);
        }
    }
    ToNearest(const ToNearest &) = delete;
    ToNearest &operator=(const ToNearest &) = delete;
    ~ToNearest() {
        if ((before_ & rounding) != 0) [[unlikely]] {
            set_control(before_);
        }
    }

private:
#if defined(__x86_64__)
    static constexpr uint64_t rounding = 3 << 13;
    static uint64_t control() {
        return _mm_getcsr();
    }
    static void set_control(uint64_t control) {
        asm volatile("" ::: "memory");
        _mm_setcsr(static_cast<uint32_t>(control));
        asm volatile("" ::: "memory");
    }
#elif defined(__aarch64__)
    static constexpr uint64_t rounding = 3 << 22;
    static uint64_t control() {
        uint64_t control;
        asm volatile("mrs %0, fpcr" : "=r"(control));
        return control;
    }
    static void set_control(uint64_t control) {
        asm volatile("msr fpcr, %0" ::"r"(control) : "memory");
    }
#else
    static constexpr uint64_t rounding = 0;
    static uint64_t control() {
        return 0;
    }
    static void set_control(uint64_t) {
    }
#endif
    uint64_t before_;
};

struct AsToldByCaller {};

template <bool is_to_nearest> struct RoundingIf { using type = AsToldByCaller; };
template <> struct RoundingIf<true> { using type = ToNearest; };

// For as long as numbers of these types are computed with.
template <class... T> using Rounding = typename RoundingIf<(is_small_float<T> || ...)>::type;

} // namespace
} // namespace xcoll

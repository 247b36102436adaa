// One pass over the data: elements of type In are read, combined with an operator, and written as Out.
#pragma once

#include "kernels/formats.h"
#include "kernels/kernels.h"

namespace xcoll {
namespace {

// Who reads and who writes, for ThreadSanitizer: it sees neither streamed stores nor, with clang, wide vectors.
#if defined(__SANITIZE_THREAD__)
#define XCOLL_KERNELS_SEE_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XCOLL_KERNELS_SEE_RACES 1
#endif
#endif
#ifdef XCOLL_KERNELS_SEE_RACES
extern "C" void __tsan_read_range(void *address, unsigned long bytes);
extern "C" void __tsan_write_range(void *address, unsigned long bytes);
inline void mark_read(const void *from, size_t bytes) {
    __tsan_read_range(const_cast<void *>(from), bytes);
}
inline void mark_written(void *to, size_t bytes) {
    __tsan_write_range(to, bytes);
}
#else
inline void mark_read(const void *, size_t) {
}
inline void mark_written(void *, size_t) {
}
#endif

template <class ArchType, class InType, class OutType, template <class, int> class Op> struct Pass {
    using Arch = ArchType;
    using In = InType;
    using Out = OutType;
    using Lane = Accumulator<In>;
    template <int n> using Operation = Op<Lane, n>;
    template <int n> using Sum = typename Op<Lane, n>::Sum;
    template <int n> using Result = Vec<Lane, n>;
    using Factor = typename Op<Lane, 1>::Factor;
    // Gains nothing from more than two vectors at once.
    static constexpr bool slow = Op<Lane, 1>::slow || is_byte_float<In> || is_byte_float<Out>;

    static Factor factor(const Inputs &inputs) {
        return Op<Lane, 1>::factor(inputs.divisor);
    }
    template <int n> [[gnu::always_inline]] static Sum<n> enter(const void *from, size_t index) {
        return Op<Lane, n>::enter(Format<Arch, In, n>::load(from, index));
    }
    template <int n> [[gnu::always_inline]] static Sum<n> combine(Sum<n> a, Sum<n> b) {
        return Op<Lane, n>::combine(a, b);
    }
    template <int n> [[gnu::always_inline]] static Result<n> leave(Sum<n> sum, const Factor &factor) {
        return Op<Lane, n>::leave(sum, factor);
    }
    template <int n> [[gnu::always_inline]] static void store(void *to, size_t index, Result<n> result) {
        Format<Arch, Out, n>::store(to, index, result);
    }
};

template <class P> inline void mark_pass(void *out, const Inputs &inputs, size_t count) {
    const void *const *data = inputs.data;
    for (uint32_t group = 0; group < inputs.groups; ++group) {
        for (uint32_t i = 0; i < inputs.group_sizes[group]; ++i) {
            mark_read(*data++, count * sizeof(typename P::In));
        }
    }
    mark_written(out, count * sizeof(typename P::Out));
}

} // namespace
} // namespace xcoll

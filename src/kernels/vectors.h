// Reductions in vectors: several at once in the middle, and at both ends one that may overlap its neighbours, so that
// no element is ever handled alone if there are enough for a narrow vector.
#pragma once

#include "kernels/pass.h"

namespace xcoll {
namespace {

// The inputs of the most frequent call.
struct Pair {
    const void *left;
    const void *right;
};

// The input of a scaling.
struct Single {
    const void *data;
};

// sums[k] becomes the sum over the inputs of the n elements from `at + k * step`.
template <class P, int n, int width>
[[gnu::always_inline]] inline void collect(typename P::template Sum<n> (&sums)[width], const Pair &pair, size_t at,
                                           size_t step) {
    for (int k = 0; k < width; ++k) {
        sums[k] = P::template enter<n>(pair.left, at + static_cast<size_t>(k) * step);
    }
    for (int k = 0; k < width; ++k) {
        const auto right = P::template enter<n>(pair.right, at + static_cast<size_t>(k) * step);
        sums[k] = P::template combine<n>(sums[k], right);
    }
}

template <class P, int n, int width>
[[gnu::always_inline]] inline void collect(typename P::template Sum<n> (&sums)[width], const Single &single, size_t at,
                                           size_t step) {
    for (int k = 0; k < width; ++k) {
        sums[k] = P::template enter<n>(single.data, at + static_cast<size_t>(k) * step);
    }
}

template <class P, int n, int width>
[[gnu::always_inline]] inline void collect(typename P::template Sum<n> (&sums)[width], const Inputs &inputs, size_t at,
                                           size_t step) {
    const void *const *data = inputs.data;
    for (auto &sum : sums) {
        sum = typename P::template Sum<n>{}; // there is a first group, which the compiler cannot know
    }
    uint32_t group = 0;
    do {
        typename P::template Sum<n> part[width];
        for (int k = 0; k < width; ++k) {
            part[k] = P::template enter<n>(*data, at + static_cast<size_t>(k) * step);
        }
        ++data;
        for (uint32_t left = inputs.group_sizes[group] - 1; left > 0; --left) {
            for (int k = 0; k < width; ++k) {
                const auto next = P::template enter<n>(*data, at + static_cast<size_t>(k) * step);
                part[k] = P::template combine<n>(part[k], next);
            }
            ++data;
        }
        for (int k = 0; k < width; ++k) {
            sums[k] = group == 0 ? part[k] : P::template combine<n>(sums[k], part[k]);
        }
    } while (++group < inputs.groups);
}

// `width` vectors side by side. All loads come before the first store: out may be one of the inputs.
template <class P, int n, int width, class Source>
[[gnu::always_inline]] inline void reduce_vectors(void *out, const Source &source, size_t at,
                                                  const typename P::Factor &factor) {
    typename P::template Sum<n> sums[width];
    collect<P, n, width>(sums, source, at, n);
    for (int k = 0; k < width; ++k) {
        const auto result = P::template leave<n>(sums[k], factor);
        P::template store<n>(out, at + static_cast<size_t>(k) * n, result);
    }
}

// Fewer elements than a vector of 2 * n has.
template <class P, int n, class Source>
[[gnu::always_inline]] inline void reduce_few(void *out, const Source &source, size_t count,
                                              const typename P::Factor &factor) {
    if constexpr (n == 1 || n * sizeof(typename P::Lane) < 8) {
        for (size_t i = 0; i < count; ++i) {
            reduce_vectors<P, 1, 1>(out, source, i, factor);
        }
    } else if (count < n) {
        reduce_few<P, n / 2>(out, source, count, factor);
    } else {
        typename P::template Sum<n> ends[2];
        collect<P, n, 2>(ends, source, 0, count - n);
        P::template store<n>(out, 0, P::template leave<n>(ends[0], factor));
        P::template store<n>(out, count - n, P::template leave<n>(ends[1], factor));
    }
}

template <class P, class Source>
[[gnu::always_inline]] inline void reduce_source(void *out, const Source &source, size_t count,
                                                 const typename P::Factor &factor) {
    constexpr int n = P::Arch::vector_bytes / sizeof(typename P::Lane);
    constexpr int width = P::slow ? 2 : P::Arch::unroll;
    if (count < n) {
        reduce_few<P, n / 2>(out, source, count, factor);
        return;
    }
    // The first and the last vector are made before anything is stored, because out may be an input, and stored after
    // everything else: what lies between begins where out is aligned and is whole vectors.
    typename P::template Sum<n> ends[2];
    collect<P, n, 2>(ends, source, 0, count - n);
    const auto first = P::template leave<n>(ends[0], factor);
    const auto last = P::template leave<n>(ends[1], factor);
    constexpr size_t vector_out = n * sizeof(typename P::Out);
    size_t i = (vector_out - reinterpret_cast<uintptr_t>(out) % vector_out) / sizeof(typename P::Out);
    for (; i + width * n <= count; i += width * n) {
        reduce_vectors<P, n, width>(out, source, i, factor);
    }
    for (; i + n <= count; i += n) {
        reduce_vectors<P, n, 1>(out, source, i, factor);
    }
    P::template store<n>(out, 0, first);
    P::template store<n>(out, count - n, last);
}

template <class P> [[gnu::noinline]] void reduce_pair(void *out, const Inputs &inputs, size_t count) {
    reduce_source<P>(out, Pair{inputs.data[0], inputs.data[1]}, count, P::factor(inputs));
}

template <class P> [[gnu::noinline]] void reduce_many(void *out, const Inputs &inputs, size_t count) {
    reduce_source<P>(out, inputs, count, P::factor(inputs));
}

} // namespace
} // namespace xcoll

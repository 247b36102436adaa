// What AVX2 and AVX-512 share: the string copy, and conversions with F16C, whose rounding is in the instruction, and
// which keep denormals whatever the caller's thread does with them.
#pragma once

#include <immintrin.h>

#include "kernels/formats.h"

namespace xcoll {
namespace {

struct X86 : Portable {
    [[gnu::always_inline]] static void move_string(void *to, const void *from, size_t bytes) {
        asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
    }

    // The low bytes of a register from a short vector, the rest zero.
    template <int n> [[gnu::always_inline]] static __m128i low_bits(Vec<uint16_t, n> x) {
        if constexpr (n == 8) {
            return bits_as<__m128i>(x);
        } else if constexpr (n == 4) {
            return _mm_cvtsi64_si128(bits_as<int64_t>(x));
        } else if constexpr (n == 2) {
            return _mm_cvtsi32_si128(bits_as<int32_t>(x));
        } else {
            return _mm_cvtsi32_si128(x);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> from_low_bits(__m128i x) {
        if constexpr (n == 8) {
            return bits_as<Vec<uint16_t, 8>>(x);
        } else if constexpr (n == 4) {
            return bits_as<Vec<uint16_t, 4>>(static_cast<int64_t>(_mm_cvtsi128_si64(x)));
        } else if constexpr (n == 2) {
            return bits_as<Vec<uint16_t, 2>>(_mm_cvtsi128_si32(x));
        } else {
            return static_cast<uint16_t>(_mm_cvtsi128_si32(x));
        }
    }

    // The first n floats of a register.
    template <int n> [[gnu::always_inline]] static Vec<float, n> low_floats(__m128 x) {
        if constexpr (n == 4) {
            return bits_as<Vec<float, 4>>(x);
        } else if constexpr (n == 2) {
            return bits_as<Vec<float, 2>>(static_cast<int64_t>(_mm_cvtsi128_si64(_mm_castps_si128(x))));
        } else {
            return _mm_cvtss_f32(x);
        }
    }

    template <int n> [[gnu::always_inline]] static __m128 floats_low(Vec<float, n> x) {
        if constexpr (n == 4) {
            return bits_as<__m128>(x);
        } else if constexpr (n == 2) {
            return _mm_castsi128_ps(_mm_cvtsi64_si128(bits_as<int64_t>(x)));
        } else {
            return _mm_set_ss(x);
        }
    }

    static constexpr int nearest_even = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

    template <int n> [[gnu::always_inline]] static Vec<float, n> float_from_half(Vec<uint16_t, n> half) {
        if constexpr (n == 8) {
            return bits_as<Vec<float, 8>>(_mm256_cvtph_ps(bits_as<__m128i>(half)));
        } else {
            return low_floats<n>(_mm_cvtph_ps(low_bits<n>(half)));
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> half_from_float(Vec<float, n> value) {
        if constexpr (n == 8) {
            return bits_as<Vec<uint16_t, 8>>(_mm256_cvtps_ph(bits_as<__m256>(value), nearest_even));
        } else {
            return from_low_bits<n>(_mm_cvtps_ph(floats_low<n>(value), nearest_even));
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint32_t, n> widen_bits(Vec<uint16_t, n> x) {
        if constexpr (n == 8) {
            return bits_as<Vec<uint32_t, 8>>(_mm256_cvtepu16_epi32(bits_as<__m128i>(x)));
        } else {
            return Portable::widen_bits<n>(x);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> widen_bytes(Vec<uint8_t, n> x) {
        if constexpr (n == 8) {
            return bits_as<Vec<uint16_t, 8>>(_mm_cvtepu8_epi16(_mm_cvtsi64_si128(bits_as<int64_t>(x))));
        } else if constexpr (n == 16) {
            return bits_as<Vec<uint16_t, 16>>(_mm256_cvtepu8_epi16(bits_as<__m128i>(x)));
        } else {
            return Portable::widen_bytes<n>(x);
        }
    }

    // The lanes hold no more than 8 bits, so that nothing saturates.
    template <int n> [[gnu::always_inline]] static Vec<uint8_t, n> narrow_bytes(Vec<uint16_t, n> x) {
        if constexpr (n == 8) {
            const auto wide = bits_as<__m128i>(x);
            return bits_as<Vec<uint8_t, 8>>(static_cast<int64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(wide, wide))));
        } else if constexpr (n == 16) {
            const auto wide = bits_as<__m256i>(x);
            return bits_as<Vec<uint8_t, 16>>(
                _mm_packus_epi16(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1)));
        } else {
            return Portable::narrow_bytes<n>(x);
        }
    }

    // The lanes hold no more than 16 bits, so that nothing saturates.
    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> narrow_bits(Vec<uint32_t, n> x) {
        if constexpr (n == 8) {
            const auto wide = bits_as<__m256i>(x);
            return bits_as<Vec<uint16_t, 8>>(
                _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1)));
        } else {
            return Portable::narrow_bits<n>(x);
        }
    }
};

} // namespace
} // namespace xcoll

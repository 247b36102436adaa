#include "kernels/tables.h"

#ifdef __x86_64__
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) || !defined(__AVX512DQ__) ||             \
    !defined(__F16C__)
#error "compile this file with -mavx512f -mavx512bw -mavx512vl -mavx512dq -mf16c"
#endif

#include "kernels/table.h"
#include "kernels/x86.h"

namespace xcoll {
namespace {

struct Avx512 : X86 {
    static constexpr Isa isa = Isa::avx512;
    static constexpr const char *name = "avx512";
    static constexpr bool fixed_vectors = true;
    static constexpr bool pair_loops = false;
    static constexpr bool streams = true;
    static constexpr int vector_bytes = 64;
    static constexpr int unroll = 4;
    static constexpr int copy_bytes = 64;

    template <int n> [[gnu::always_inline]] static Vec<float, n> float_from_half(Vec<uint16_t, n> half) {
        if constexpr (n == 16) {
            return bits_as<Vec<float, 16>>(_mm512_maskz_cvtph_ps(0xffff, bits_as<__m256i>(half)));
        } else {
            return X86::float_from_half<n>(half);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> half_from_float(Vec<float, n> value) {
        if constexpr (n == 16) {
            return bits_as<Vec<uint16_t, 16>>(_mm512_maskz_cvtps_ph(0xffff, bits_as<__m512>(value), nearest_even));
        } else {
            return X86::half_from_float<n>(value);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint32_t, n> widen_bits(Vec<uint16_t, n> x) {
        if constexpr (n == 16) {
            return bits_as<Vec<uint32_t, 16>>(_mm512_maskz_cvtepu16_epi32(0xffff, bits_as<__m256i>(x)));
        } else {
            return X86::widen_bits<n>(x);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> narrow_bits(Vec<uint32_t, n> x) {
        if constexpr (n == 16) {
            return bits_as<Vec<uint16_t, 16>>(_mm512_maskz_cvtepi32_epi16(0xffff, bits_as<__m512i>(x)));
        } else if constexpr (n == 8) {
            return bits_as<Vec<uint16_t, 8>>(_mm256_maskz_cvtepi32_epi16(0xff, bits_as<__m256i>(x)));
        } else {
            return X86::narrow_bits<n>(x);
        }
    }

    template <int lines> [[gnu::always_inline]] static void stream_lines(char *to, const char *from) {
        __m512i values[lines];
        for (int k = 0; k < lines; ++k) {
            values[k] = _mm512_loadu_si512(from + 64 * k);
        }
        for (int k = 0; k < lines; ++k) {
            _mm512_stream_si512(reinterpret_cast<__m512i *>(to + 64 * k), values[k]);
        }
    }

    static void stream_fence() {
        _mm_sfence();
    }
};

constexpr Kernels table = TableOf<Avx512>::make();

} // namespace

const Kernels *const avx512_kernels = &table;

} // namespace xcoll
#else
namespace xcoll {

const Kernels *const avx512_kernels = nullptr;

} // namespace xcoll
#endif

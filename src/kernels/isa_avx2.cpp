#include "kernels/tables.h"

#ifdef __x86_64__
#if !defined(__AVX2__) || !defined(__F16C__)
#error "compile this file with -mavx2 -mf16c"
#endif

#include "kernels/table.h"
#include "kernels/x86.h"

namespace xcoll {
namespace {

struct Avx2 : X86 {
    static constexpr Isa isa = Isa::avx2;
    static constexpr const char *name = "avx2";
    static constexpr bool fixed_vectors = true;
    static constexpr bool pair_loops = false;
    static constexpr bool streams = true;
    static constexpr int vector_bytes = 32;
    static constexpr int unroll = 4;
    static constexpr int copy_bytes = 32;

    template <int lines> [[gnu::always_inline]] static void stream_lines(char *to, const char *from) {
        __m256i values[2 * lines];
        for (int k = 0; k < 2 * lines; ++k) {
            values[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i_u *>(from + 32 * k));
        }
        for (int k = 0; k < 2 * lines; ++k) {
            _mm256_stream_si256(reinterpret_cast<__m256i *>(to + 32 * k), values[k]);
        }
    }

    static void stream_fence() {
        _mm_sfence();
    }
};

constexpr Kernels table = TableOf<Avx2>::make();

} // namespace

const Kernels *const avx2_kernels = &table;

} // namespace xcoll
#else
namespace xcoll {

const Kernels *const avx2_kernels = nullptr;

} // namespace xcoll
#endif

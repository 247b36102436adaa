#include "kernels/tables.h"

#ifdef __aarch64__
#include <arm_neon.h>

#include "kernels/table.h"

namespace xcoll {
namespace {

struct Neon : Portable {
    static constexpr Isa isa = Isa::neon;
    static constexpr const char *name = "neon";
    static constexpr bool fixed_vectors = true;
    static constexpr bool pair_loops = false;
    static constexpr bool streams = false;
    static constexpr int vector_bytes = 16;
    static constexpr int unroll = 8;
    static constexpr int copy_bytes = 16;

    template <int n> [[gnu::always_inline]] static Vec<float, n> float_from_half(Vec<uint16_t, n> half) {
        if constexpr (n == 4) {
            return bits_as<Vec<float, 4>>(vcvt_f32_f16(bits_as<float16x4_t>(half)));
        } else {
            return Portable::float_from_half<n>(half);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint16_t, n> half_from_float(Vec<float, n> value) {
        if constexpr (n == 4) {
            return bits_as<Vec<uint16_t, 4>>(vcvt_f16_f32(bits_as<float32x4_t>(value)));
        } else {
            return Portable::half_from_float<n>(value);
        }
    }

    template <int n> [[gnu::always_inline]] static Vec<uint32_t, n> widen_bits(Vec<uint16_t, n> x) {
        if constexpr (n == 4) {
            return bits_as<Vec<uint32_t, 4>>(vmovl_u16(bits_as<uint16x4_t>(x)));
        } else {
            return Portable::widen_bits<n>(x);
        }
    }
};

constexpr Kernels table = TableOf<Neon>::make();

} // namespace

const Kernels *const neon_kernels = &table;

} // namespace xcoll
#else
namespace xcoll {

const Kernels *const neon_kernels = nullptr;

} // namespace xcoll
#endif

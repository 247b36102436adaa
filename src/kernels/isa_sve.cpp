// Vectors of any length: the loops of blocks.h, which the compiler turns into SVE.
#include "kernels/tables.h"

#ifdef __aarch64__
#ifndef __ARM_FEATURE_SVE
#error "compile this file with -march=armv8.2-a+sve"
#endif

#include "kernels/table.h"

namespace xcoll {
namespace {

struct Sve : Portable {
    static constexpr Isa isa = Isa::sve;
    static constexpr const char *name = "sve";
    static constexpr bool fixed_vectors = false;
    static constexpr bool pair_loops = true;
    static constexpr bool streams = false;
    static constexpr int copy_bytes = 16;

    template <int> [[gnu::always_inline]] static float float_from_half(uint16_t half) {
        return bits_as<__fp16>(half);
    }

    template <int> [[gnu::always_inline]] static uint16_t half_from_float(float value) {
        return bits_as<uint16_t>(static_cast<__fp16>(value));
    }
};

constexpr Kernels table = TableOf<Sve>::make();

} // namespace

const Kernels *const sve_kernels = &table;

} // namespace xcoll
#else
namespace xcoll {

const Kernels *const sve_kernels = nullptr;

} // namespace xcoll
#endif

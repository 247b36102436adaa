#include "kernels/kernels.h"

#include <cstring>

#include "kernels/tables.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace xcoll {
namespace {

#if defined(__x86_64__)
bool tells_f16c() noexcept {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool tells_cldemote() noexcept {
    constexpr unsigned leaf = 7;
    constexpr unsigned bit = 1U << 25;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) != 0 && (c & bit) != 0;
}

// Constants that the processor tells when the library is loaded. A virtual machine stops at each such question: with
// three of them in the making of a communicator, two thirds of its time went there.
const bool has_f16c = tells_f16c();
const bool has_cldemote = tells_cldemote();

bool processor_has(Isa isa) noexcept {
    __builtin_cpu_init();
    switch (isa) {
    case Isa::avx2:
        return __builtin_cpu_supports("avx2") && has_f16c;
    case Isa::avx512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && has_f16c;
    default:
        return isa == Isa::plain;
    }
}

bool is_worthwhile(Isa) noexcept {
    return true;
}
#elif defined(__aarch64__)
bool processor_has(Isa isa) noexcept {
    constexpr unsigned long hwcap_sve = 1ul << 22;
    return isa != Isa::sve || (getauxval(AT_HWCAP) & hwcap_sve) != 0;
}

bool is_worthwhile(Isa isa) noexcept {
    constexpr int get_vector_length = 51;
    constexpr int length_bits = 0xffff;
    constexpr int neon_bytes = 16;
    // NEON's loops are better where SVE's vectors are no longer.
    return isa != Isa::sve || (prctl(get_vector_length) & length_bits) > neon_bytes;
}
#else
bool processor_has(Isa isa) noexcept {
    return isa == Isa::plain;
}

bool is_worthwhile(Isa) noexcept {
    return true;
}
#endif

const Kernels *built_for(Isa isa) {
    switch (isa) {
    case Isa::plain:
        return plain_kernels;
    case Isa::avx2:
        return avx2_kernels;
    case Isa::avx512:
        return avx512_kernels;
    case Isa::neon:
        return neon_kernels;
    case Isa::sve:
        return sve_kernels;
    }
    return nullptr;
}

constexpr Isa best_first[] = {Isa::avx512, Isa::avx2, Isa::sve, Isa::neon, Isa::plain};

} // namespace

const Kernels *kernels_for(Isa isa) {
    const Kernels *built = built_for(isa);
    return built != nullptr && processor_has(isa) ? built : nullptr;
}

bool processor_demotes() {
#if defined(__x86_64__)
    return has_cldemote;
#else
    return false;
#endif
}

const Kernels &best_kernels() {
    for (const Isa isa : best_first) {
        const Kernels *kernels = kernels_for(isa);
        if (kernels != nullptr && is_worthwhile(isa)) {
            return *kernels;
        }
    }
    return *plain_kernels;
}

bool parse_isa(const char *name, Isa &isa) {
    constexpr const char *names[] = {"plain", "avx2", "avx512", "neon", "sve"};
    for (int i = 0; i < 5; ++i) {
        if (std::strcmp(name, names[i]) == 0) {
            isa = static_cast<Isa>(i);
            return true;
        }
    }
    return false;
}

} // namespace xcoll

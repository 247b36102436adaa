// The tables of all instruction sets; nullptr for those of another processor family.
#pragma once

#include "kernels/kernels.h"

namespace xcoll {

extern const Kernels *const plain_kernels;
extern const Kernels *const avx2_kernels;
extern const Kernels *const avx512_kernels;
extern const Kernels *const neon_kernels;
extern const Kernels *const sve_kernels;

} // namespace xcoll

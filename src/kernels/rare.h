// What is used too seldom to be made for every instruction set: all tables share these.
#pragma once

#include "kernels/kernels.h"

namespace xcoll {

// MINLOC, or MAXLOC if highest. Pair is one of the structs of xcoll.h.
template <class Pair, bool highest> void locate(void *out, const Inputs &inputs, size_t count);

// Real is float or double.
template <class Real> void multiply_complex(void *out, const Inputs &inputs, size_t count);
template <class Real> void scale_complex(void *out, const void *in, const void *scalar, size_t count);

} // namespace xcoll

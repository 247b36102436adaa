// What all ranks know of an operator of the user's, or of the calls of a group, is a hash. If they do not agree on one,
// a rank adds what it has itself, in words.
#pragma once

#include "base/error.h"
#include "base/op.h"

namespace xcoll {

Failure with_own_words(int rank, const Op &op, const Failure &failure);

} // namespace xcoll

// The user's description of a distributed tensor, checked and completed.
#pragma once

#include "coll/tensor.h"
#include "xcoll.h"

namespace xcoll::api {

struct GivenTensor {
    Tensor tensor;
    xcoll_dtype_t dtype;
    xcoll_op_t op;
    uint32_t hash; // of all that is equal on all ranks
};

// Throws ARGUMENT, TYPE or UNSUPPORTED.
GivenTensor read_tensor(const xcoll_tensor_t *tensor, int from_dim, int to_dim, int rank, int ranks);

} // namespace xcoll::api

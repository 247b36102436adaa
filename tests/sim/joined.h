// Reductions that are joined: allreduces of the pieces of one vector, so that its sum is what must come out.
#pragma once

#include <vector>

#include "sim/call.h"

namespace xcoll::sim {

// `op` has the whole vector's buffers; `calls` is to live as long.
inline void join(const Call &called, Op &op, std::vector<Op> &calls) {
    Op one{.kind = Kind::allreduce, .op = called.op, .dtype = called.dtype, .form = Form::group};
    size_t at = 0;
    for (const size_t count : called.counts) {
        one.count = count;
        one.send = static_cast<const char *>(op.send) + at;
        one.recv = static_cast<char *>(op.recv) + at;
        at += one.bytes();
        calls.push_back(one);
    }
    op.parts = calls;
}

} // namespace xcoll::sim

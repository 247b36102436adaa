// The function of a user's operator, at work. It runs amid an operation, on the thread that moves this one: whatever it
// started or waited for would wait for the very operation that calls it. So such calls from within are refused
// (check_outside_operators).
#pragma once

#include "base/user_operator.h"

namespace xcoll {

// A UserOperator::Run.
xcoll_result_t run_user_function(const UserOperator &made, const void *in, void *inout, size_t count,
                                 xcoll_dtype_t dtype);

} // namespace xcoll

#include "core/user_function.h"

#include "base/error.h"

namespace xcoll {

namespace {

// How many functions of users' operators the thread is in: more than one if an operator reduces with another one. A
// call from within names no object that could hold this.
thread_local int functions_of_thread = 0;

struct Inside {
    Inside() {
        ++functions_of_thread;
        process().thread_enters();
    }
    ~Inside() {
        process().thread_leaves();
        --functions_of_thread;
    }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;
};

} // namespace

xcoll_result_t run_user_function(const UserOperator &made, const void *in, void *inout, size_t count,
                                 xcoll_dtype_t dtype) {
    const Inside inside;
    return UserOperator::run_unwatched(made, in, inout, count, dtype);
}

void fail_inside_operator() {
    if (functions_of_thread > 0) {
        fail(XCOLL_ERR_STATE, "this is called by the function of an operator, which may start and wait for nothing, as "
                              "it runs amid the operation that combines with it: call this before or after that one");
    }
}

} // namespace xcoll

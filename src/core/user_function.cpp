#include "core/user_function.h"

#include "core/inside.h"

namespace xcoll {

namespace {

struct InsideOperator {
    InsideOperator() {
        ++inside_of_thread().operators;
        process().thread_enters();
    }
    ~InsideOperator() {
        process().thread_leaves();
        --inside_of_thread().operators;
    }
    InsideOperator(const InsideOperator &) = delete;
    InsideOperator &operator=(const InsideOperator &) = delete;
};

} // namespace

xcoll_result_t run_user_function(const UserOperator &made, const void *in, void *inout, size_t count,
                                 xcoll_dtype_t dtype) {
    const InsideOperator here;
    return UserOperator::run_unwatched(made, in, inout, count, dtype);
}

} // namespace xcoll

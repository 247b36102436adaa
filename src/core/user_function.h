// The function of a user's operator, at work. It runs amid an operation, on the thread that moves this one: whatever it
// started or waited for would wait for the very operation that calls it. So such calls from within are refused.
#pragma once

#include "base/user_operator.h"
#include "core/process.h"

namespace xcoll {

class UserFunction {
public:
    UserFunction(UserOperator::Function fn, void *context) : fn_(fn), context_(context) {
    }
    ~UserFunction() {
        if (destroy_) {
            destroy_(context_);
        }
    }
    UserFunction(const UserFunction &) = delete;
    UserFunction &operator=(const UserFunction &) = delete;
    // The context is the caller's until then.
    void own_context(void (*destroy)(void *)) {
        destroy_ = destroy;
    }

    // As a UserOperator calls it, which keeps this as its context, and ends it.
    static xcoll_result_t run(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *self);
    static void end(void *self);

private:
    const UserOperator::Function fn_;
    void *const context_;
    void (*destroy_)(void *) = nullptr;
};

// Throws STATE if the calling thread runs such a function.
void look_outside_operators();
inline void check_outside_operators() {
    if (process().has_threads_inside()) [[unlikely]] {
        look_outside_operators();
    }
}

} // namespace xcoll

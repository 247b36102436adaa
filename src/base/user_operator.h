// An operator of the user's: a function that combines two lists of elements, or a sum of inputs that each rank
// multiplies first by a number of its own.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "base/digest.h"
#include "base/op.h"

namespace xcoll {

struct UserOperator {
    // inout = in o inout, element by element; `in` comes from lower ranks.
    using Function = xcoll_result_t (*)(const void *in, void *inout, size_t count, xcoll_dtype_t dtype, void *context);
    static constexpr size_t most_scalar_bytes = 16;

    UserOperator() = default;
    UserOperator(const UserOperator &) = delete;
    UserOperator &operator=(const UserOperator &) = delete;
    // When the user has freed it and the last operation that used it is over.
    ~UserOperator() {
        if (destroy) {
            destroy(context);
        }
    }
    bool is_premultiplied() const {
        return fn == nullptr;
    }
    // What the ranks compare (base/op.h): the numbers of a premultiplied sum may differ. `item`: Op::item.
    uint32_t name_hash(const Shape *item) const {
        Digest digest;
        digest.add(is_premultiplied() ? 1 : 0).add(name);
        if (item) {
            digest.add(static_cast<uint64_t>(item->base)).add(item->element_bytes).add(item->bytes);
        }
        return digest.upper(user_name_bits);
    }
    void set_scalar(const void *value, Dtype dtype) {
        scalar_dtype = dtype;
        std::memcpy(scalar, value, size_of(dtype));
    }

    // Calls the function.
    using Run = xcoll_result_t (*)(const UserOperator &, const void *in, void *inout, size_t count,
                                   xcoll_dtype_t dtype);
    static xcoll_result_t run_unwatched(const UserOperator &made, const void *in, void *inout, size_t count,
                                        xcoll_dtype_t dtype) {
        return made.fn(in, inout, count, dtype, made.context);
    }
    Run run = run_unwatched; // or by who minds what it calls in turn (core/user_function.h)
    Function fn = nullptr;   // nullptr: a premultiplied sum
    void *context = nullptr;
    void (*destroy)(void *) = nullptr;
    std::string name; // its identity between ranks
    Dtype scalar_dtype = Dtype::none;
    alignas(most_scalar_bytes) unsigned char scalar[most_scalar_bytes] = {};
};

} // namespace xcoll

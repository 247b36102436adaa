#include "api/items.h"

#include "api/validate.h"
#include "core/process.h"

namespace xcoll::api {

Items items_of(Call &call, xcoll_dtype_t dtype) {
    if (is_dtype(dtype)) {
        const size_t bytes = size_of(dtype);
        return {dtype_of(dtype), bytes, static_cast<ptrdiff_t>(bytes), 1, nullptr};
    }
    const Shape *shape = call.hold(process().types().find(dtype));
    if (!shape) {
        fail_dtype(dtype);
    }
    return {shape->base, shape->bytes, shape->extent, shape->elements(), shape};
}

} // namespace xcoll::api

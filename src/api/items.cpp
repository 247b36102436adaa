#include "api/items.h"

#include "api/validate.h"
#include "core/process.h"

namespace xcoll::api {

std::optional<Items> find_items(Call &call, xcoll_dtype_t dtype) {
    if (is_dtype(dtype)) {
        return plain_items(dtype);
    }
    const Shape *shape = call.hold(process().types().find(dtype));
    if (!shape) {
        return std::nullopt;
    }
    return Items{shape->base, shape->bytes, shape->extent, shape->elements(), shape};
}

Items made_items_of(Call &call, const char *name, xcoll_dtype_t dtype) {
    const std::optional<Items> items = find_items(call, dtype);
    if (!items) {
        fail_dtype(name, dtype);
    }
    return *items;
}

bool Items::is_within_memory(size_t count) const {
    ptrdiff_t all;
    return !__builtin_mul_overflow(count, reach(), &all);
}

void check_count(const Items &items, const char *name, size_t count) {
    if (!items.may_be(count)) {
        fail_count(name, count, items.reach());
    }
}

} // namespace xcoll::api

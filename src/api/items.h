// The type argument of a call, whatever it is: what its items look like in memory, and what they are made of.
#pragma once

#include <optional>

#include "core/call.h"
#include "xcoll.h"

namespace xcoll::api {

// Far above any memory, far below where the bytes of a predefined type would wrap: a negative number, most likely.
inline constexpr size_t most_elements = size_t{1} << 44;

struct Items {
    Dtype base;         // what must match between ranks; none: opaque
    size_t bytes;       // of one item's data
    ptrdiff_t extent;   // from one item to the next
    size_t elements;    // of the base type in one item
    const Shape *shape; // nullptr: items lie together

    Portion portion(const void *buffer, size_t offset_bytes, size_t count) const {
        // Displacements add modulo 2^64, so that a negative one works.
        char *base_address = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(buffer) + offset_bytes);
        return shape ? Portion{base_address, count, shape} : Portion{base_address, count * bytes, nullptr};
    }
    size_t span(size_t count) const {
        return count * static_cast<size_t>(extent);
    }
    // Of an item with all that lies up to the next, which may lie before it.
    size_t reach() const {
        const auto apart = static_cast<size_t>(extent < 0 ? -extent : extent);
        return apart > bytes ? apart : bytes;
    }
    // There may be a memory that has so many.
    bool may_be(size_t count) const {
        return count <= most_elements && (!shape || is_within_memory(count));
    }

private:
    bool is_within_memory(size_t count) const;
};

// Of a predefined type.
inline Items plain_items(xcoll_dtype_t dtype) {
    const size_t bytes = size_of(dtype);
    return {dtype_of(dtype), bytes, static_cast<ptrdiff_t>(bytes), 1, nullptr};
}
// Nothing: it is no type. The call holds a made one.
std::optional<Items> find_items(Call &call, xcoll_dtype_t dtype);
// Throws TYPE then, with the name of the parameter.
Items made_items_of(Call &call, const char *name, xcoll_dtype_t dtype);
// Inline, so that the members of a plain one stay in registers. Just written one by one and read together, they would
// come when all that was stored before has reached the caches: with the lines of a message on their way to its peer
// that took 0.03 us.
inline Items items_of(Call &call, const char *name, xcoll_dtype_t dtype) {
    return is_dtype(dtype) ? plain_items(dtype) : made_items_of(call, name, dtype);
}
// Throws ARGUMENT.
void check_count(const Items &items, const char *name, size_t count);

} // namespace xcoll::api

// The types that users make: a shape from a shape. Views stay few, so that whoever walks through a message does not
// notice how deeply a type is nested: repeating one view gives one view, and runs that meet become one.
#pragma once

#include <span>

#include "base/shape.h"

namespace xcoll {

// An element of a predefined type.
Shape plain_shape(Dtype dtype);
// So many bytes of which only the user knows what they are.
Shape opaque_shape(size_t bytes);
// `blocks` times `block_count` items; `stride` items from the begin of one block to the next.
Shape vector_shape(const Shape &item, size_t blocks, size_t block_count, ptrdiff_t stride);
// counts[k] items from item displacements[k] on, in this order.
Shape indexed_shape(const Shape &item, std::span<const size_t> counts, const ptrdiff_t *displacements);
// The same bytes, with another distance from item to item.
Shape resized_shape(const Shape &item, size_t extent);

} // namespace xcoll

// Types that users make, and in code of its own where each element of their items lies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "ranks.h"

namespace made {

using Random = std::mt19937_64;

// A type, and the bytes at which the elements of one item lie.
struct Type {
    xcoll_dtype_t handle;
    std::vector<ptrdiff_t> places;
    ptrdiff_t extent;
    ptrdiff_t element_bytes;
    std::shared_ptr<void> owner; // frees the handle, if it was made

    size_t elements() const {
        return places.size();
    }
    ptrdiff_t place(size_t element) const {
        return extent * static_cast<ptrdiff_t>(element / elements()) + places[element % elements()];
    }
    // From the first byte of the first item to behind the last byte of the last one, which may begin behind its place
    // and then ends behind its extent.
    size_t reach(size_t items) const {
        if (items == 0 || places.empty()) {
            return 0;
        }
        const ptrdiff_t last = *std::max_element(places.begin(), places.end());
        return static_cast<size_t>(static_cast<ptrdiff_t>(items - 1) * extent + last + element_bytes);
    }
};

inline Type predefined(xcoll_dtype_t handle) {
    const auto bytes = static_cast<ptrdiff_t>(handle >> 8 & 0xff);
    return {handle, {0}, bytes, bytes, nullptr};
}

inline Type own(Type type) {
    type.owner = {nullptr, [handle = type.handle](void *) mutable { ranks::succeed(xcoll_type_free(&handle)); }};
    size_t size = 0, extent = 0;
    ranks::succeed(xcoll_type_size(type.handle, &size));
    ranks::succeed(xcoll_type_extent(type.handle, &extent));
    ranks::check(size == type.elements() * static_cast<size_t>(type.element_bytes), "a made type has another size");
    ranks::check(extent == static_cast<size_t>(type.extent), "a made type has another extent");
    return type;
}

inline Type opaque(size_t bytes) {
    Type type{0, {0}, static_cast<ptrdiff_t>(bytes), static_cast<ptrdiff_t>(bytes), nullptr};
    ranks::succeed(xcoll_type_opaque(bytes, &type.handle));
    return own(std::move(type));
}

// `counts[k]` items from item `displs[k]` on.
inline Type some_of(const Type &item, const std::vector<size_t> &counts, const std::vector<ptrdiff_t> &displs) {
    Type type{0, {}, 0, item.element_bytes, nullptr};
    ptrdiff_t begin = PTRDIFF_MAX, end = PTRDIFF_MIN;
    for (size_t k = 0; k < counts.size(); ++k) {
        for (size_t i = 0; i < counts[k]; ++i) {
            const ptrdiff_t at = (displs[k] + static_cast<ptrdiff_t>(i)) * item.extent;
            for (const ptrdiff_t place : item.places) {
                type.places.push_back(at + place);
            }
            begin = std::min(begin, at);
            end = std::max(end, at + item.extent);
        }
    }
    type.extent = end > begin ? end - begin : 0;
    return type;
}

inline Type indexed(const Type &item, const std::vector<size_t> &counts, const std::vector<ptrdiff_t> &displs) {
    Type type = some_of(item, counts, displs);
    ranks::succeed(xcoll_type_indexed(counts.size(), counts.data(), displs.data(), item.handle, &type.handle));
    return own(std::move(type));
}

inline Type vector_of(const Type &item, size_t blocks, size_t block_count, ptrdiff_t stride) {
    std::vector<ptrdiff_t> displs;
    for (size_t b = 0; b < blocks; ++b) {
        displs.push_back(static_cast<ptrdiff_t>(b) * stride);
    }
    Type type = some_of(item, std::vector<size_t>(blocks, block_count), displs);
    ranks::succeed(xcoll_type_vector(blocks, block_count, stride, item.handle, &type.handle));
    return own(std::move(type));
}

inline Type resized(const Type &item, size_t extent) {
    Type type = item;
    type.extent = static_cast<ptrdiff_t>(extent);
    ranks::succeed(xcoll_type_resized(item.handle, extent, &type.handle));
    return own(std::move(type));
}

// `items` items in blocks of any lengths, with gaps, the last one first.
inline Type scattered(Random &random, const Type &item, size_t items) {
    std::vector<size_t> counts;
    std::vector<ptrdiff_t> displs;
    ptrdiff_t at = 0;
    for (size_t left = items; left > 0; left -= counts.back()) {
        at += static_cast<ptrdiff_t>(random() % 3);
        displs.push_back(at);
        counts.push_back(random() % (left + 1));
        at += static_cast<ptrdiff_t>(counts.back());
    }
    std::reverse(counts.begin(), counts.end());
    std::reverse(displs.begin(), displs.end());
    return indexed(item, counts, displs);
}

inline size_t some_divisor(Random &random, size_t number) {
    size_t divisor = 1 + random() % number;
    while (number % divisor != 0) {
        --divisor;
    }
    return divisor;
}

// Nested at random, of so many elements, no two of which lie in one place, so that it can be received into.
inline Type any_of(Random &random, const Type &element, size_t elements) {
    Type type = element;
    for (size_t left = elements; left > 1 || random() % 4 == 0;) {
        const size_t items = some_divisor(random, left);
        switch (random() % 3) {
        case 0: {
            const size_t block = some_divisor(random, items);
            type = vector_of(type, items / block, block, static_cast<ptrdiff_t>(block + random() % 3));
            break;
        }
        case 1:
            type = scattered(random, type, items);
            break;
        default:
            type = vector_of(type, items, 1, 1);
            type =
                resized(type, static_cast<size_t>(type.extent + element.extent * static_cast<ptrdiff_t>(random() % 3)));
        }
        left /= items;
    }
    return type;
}

} // namespace made

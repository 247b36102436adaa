// Where the parts of an operation lie in a buffer, and of which type they are.
#pragma once

#include "made_types.h"

namespace deeds {

// `count` items, `at` bytes behind the begin.
struct Part {
    made::Type type;
    size_t count = 0, at = 0;

    size_t elements() const {
        return count * type.elements();
    }
    size_t reach() const {
        return at + type.reach(count);
    }
    size_t item() const {
        return type.extent == 0 ? 0 : at / static_cast<size_t>(type.extent);
    }
};
using Parts = std::vector<Part>;

template <class Number> std::vector<Number> each(const Parts &parts, Number (*number)(const Part &)) {
    std::vector<Number> all;
    for (const Part &part : parts) {
        all.push_back(number(part));
    }
    return all;
}
inline std::vector<size_t> counts(const Parts &parts) {
    return each<size_t>(parts, [](const Part &part) { return part.count; });
}
inline std::vector<size_t> items(const Parts &parts) {
    return each<size_t>(parts, [](const Part &part) { return part.item(); });
}
inline std::vector<size_t> bytes(const Parts &parts) {
    return each<size_t>(parts, [](const Part &part) { return part.at; });
}
inline std::vector<xcoll_dtype_t> types(const Parts &parts) {
    return each<xcoll_dtype_t>(parts, [](const Part &part) { return part.type.handle; });
}
inline size_t room(const Parts &parts) {
    size_t all = 0;
    for (const Part &part : parts) {
        all = std::max(all, part.reach());
    }
    return all;
}

enum class Order { packed, with_gaps };

// One behind the other, or with gaps and the last one first. Parts of one type lie a whole number of items apart.
inline void place(Parts &parts, Order order, bool one_type) {
    size_t next = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        const size_t p = order == Order::packed ? i : parts.size() - 1 - i;
        Part &part = parts[p];
        const auto extent = static_cast<size_t>(part.type.extent);
        next += order == Order::packed ? 0 : p % 3 * extent;
        part.at = next;
        next += one_type ? part.count * extent : std::max(part.count * extent, part.type.reach(part.count));
    }
}

// Elements of a period, again and again, to where the part's elements lie.
inline void put(unsigned char *buffer, const Part &part, const std::vector<unsigned char> &period) {
    const auto bytes = static_cast<size_t>(part.type.element_bytes);
    for (size_t k = 0, from = 0; k < part.elements(); ++k) {
        std::memcpy(buffer + part.at + part.type.place(k), period.data() + from, bytes);
        from = from + bytes == period.size() ? 0 : from + bytes;
    }
}

} // namespace deeds

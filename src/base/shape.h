// What one item of a user-made type looks like in memory, and where a rank's part of a collective lies.
#pragma once

#include <algorithm>
#include <vector>

#include "base/dtype.h"
#include "base/view.h"

namespace xcoll {

// Items lie `extent` bytes apart. The bytes of an item are those of its views, in their order; a view's base is an
// offset from the item's begin. Every element is of one base type.
struct Shape {
    Dtype base = Dtype::none; // none: opaque bytes
    size_t element_bytes = 1; // of the base type, or of an opaque item
    size_t bytes = 0;         // of one item's data
    ptrdiff_t extent = 0;
    std::vector<View> views;

    size_t elements() const {
        return bytes / element_bytes;
    }
    // Nothing lies before, between or behind the bytes of items in a row.
    bool lies_together() const {
        return views.size() == 1 && !views[0].base && views[0].run == bytes && extent == static_cast<ptrdiff_t>(bytes);
    }
};

// A part of a buffer: `count` items of a shape, or `count` bytes that lie together.
struct Portion {
    char *base = nullptr;
    size_t count = 0;
    const Shape *shape = nullptr;

    size_t bytes() const {
        return shape ? count * shape->bytes : count;
    }
    // The bytes of an item stay together, so only items of one view become one.
    size_t views() const {
        const bool one_view = !shape || joins();
        return one_view ? std::min<size_t>(count, 1) : count * shape->views.size();
    }
    View view(size_t i) const {
        if (!shape) {
            return View::of(base, count);
        }
        const size_t each = shape->views.size();
        View one = shape->views[i % each];
        one.base = base + reinterpret_cast<ptrdiff_t>(one.base) + static_cast<ptrdiff_t>(i / each) * shape->extent;
        return joins() ? one.repeated(count, shape->extent) : one;
    }
    // visit(view) in their order, without a division for each, for as long as that is true.
    template <class Visit> void each_view(Visit visit) const {
        if (!shape || joins()) {
            if (views() > 0) {
                visit(view(0));
            }
            return;
        }
        char *item = base;
        for (size_t i = 0; i < count; ++i, item += shape->extent) {
            for (View one : shape->views) {
                one.base = item + reinterpret_cast<ptrdiff_t>(one.base);
                if (!visit(one)) {
                    return;
                }
            }
        }
    }

private:
    bool joins() const {
        return shape->views.size() == 1;
    }
};

} // namespace xcoll

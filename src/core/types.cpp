#include "core/types.h"

namespace xcoll {

namespace {

// More would be a list longer than most messages.
constexpr size_t most_views = size_t{1} << 22;
// The last direction is for the items of a call.
constexpr size_t most_type_directions = View::most_directions - 1;

ptrdiff_t product(ptrdiff_t a, ptrdiff_t b) {
    ptrdiff_t result;
    if (__builtin_mul_overflow(a, b, &result)) {
        fail(XCOLL_ERR_ARGUMENT, "the type would be longer than any memory. Was a negative number passed as a count?");
    }
    return result;
}
ptrdiff_t sum(ptrdiff_t a, ptrdiff_t b) {
    ptrdiff_t result;
    if (__builtin_add_overflow(a, b, &result)) {
        fail(XCOLL_ERR_ARGUMENT, "the type would be longer than any memory. Was a negative number passed as a count?");
    }
    return result;
}
ptrdiff_t checked(size_t number) {
    if (number > PTRDIFF_MAX) {
        fail(XCOLL_ERR_ARGUMENT, "%zu is more than any memory has: was a negative number passed?", number);
    }
    return static_cast<ptrdiff_t>(number);
}

// The base of a shape's view is an offset, no address that one might add to.
char *moved(const char *base, ptrdiff_t by) {
    return reinterpret_cast<char *>(reinterpret_cast<ptrdiff_t>(base) + by);
}

// What is put together so far.
class Builder {
public:
    explicit Builder(const Shape &item) : item_(item) {
        shape_.base = item.base;
        shape_.element_bytes = item.element_bytes;
    }
    // `blocks` blocks of `count` items each, the first from byte `at` on.
    void add(ptrdiff_t at, size_t count, size_t blocks = 1, ptrdiff_t distance = 0) {
        if (count == 0 || blocks == 0 || item_.views.empty()) {
            return;
        }
        const ptrdiff_t last = product(checked(blocks) - 1, distance);
        const ptrdiff_t block = product(checked(count), item_.extent);
        begin_ = std::min({begin_, at, sum(at, last)});
        end_ = std::max({end_, sum(at, block), sum(sum(at, last), block)});
        const ptrdiff_t items = product(checked(count), checked(blocks));
        shape_.bytes =
            static_cast<size_t>(sum(checked(shape_.bytes), product(items, static_cast<ptrdiff_t>(item_.bytes))));
        View view = item_.views.front();
        const bool one_view = item_.views.size() == 1 && repeat(view, count, item_.extent);
        if (one_view && repeat(view, blocks, distance)) {
            push(view, at);
            return;
        }
        check_room(one_view ? checked(blocks) : product(items, static_cast<ptrdiff_t>(item_.views.size())));
        for (size_t b = 0; b < blocks; ++b) {
            const ptrdiff_t begin = at + static_cast<ptrdiff_t>(b) * distance;
            if (one_view) {
                push(view, begin);
            } else {
                push_items(begin, count);
            }
        }
    }
    Shape finish() {
        shape_.extent = end_ > begin_ ? end_ - begin_ : 0;
        return std::move(shape_);
    }

private:
    // False if it would have too many directions.
    static bool repeat(View &view, size_t count, ptrdiff_t distance) {
        const View result = view.repeated(count, distance);
        if (result.directions() > most_type_directions) {
            return false;
        }
        view = result;
        return true;
    }
    // The bytes of an item stay together, whatever the number of its views.
    void push_items(ptrdiff_t at, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            for (const View &view : item_.views) {
                push(view, at + static_cast<ptrdiff_t>(i) * item_.extent);
            }
        }
    }
    void check_room(ptrdiff_t more) const {
        if (static_cast<size_t>(more) > most_views - std::min(most_views, shape_.views.size())) {
            fail(XCOLL_ERR_UNSUPPORTED, "a type of more than %zu pieces that do not lie at regular distances",
                 most_views);
        }
    }
    void push(View view, ptrdiff_t at) {
        check_room(1);
        view.base = moved(view.base, at);
        View *before = shape_.views.empty() ? nullptr : &shape_.views.back();
        if (before && before->directions() == 0 && view.directions() == 0 &&
            moved(before->base, static_cast<ptrdiff_t>(before->run)) == view.base) {
            before->run += view.run;
            return;
        }
        shape_.views.push_back(view);
    }

    const Shape &item_;
    Shape shape_;
    ptrdiff_t begin_ = PTRDIFF_MAX, end_ = PTRDIFF_MIN;
};

Shape one_run(Dtype base, size_t bytes) {
    Shape shape;
    shape.base = base;
    shape.element_bytes = shape.bytes = bytes;
    shape.extent = checked(bytes);
    shape.views.push_back(View::of(nullptr, bytes));
    return shape;
}

} // namespace

Shape plain_shape(Dtype dtype) {
    return one_run(dtype, size_of(dtype));
}

Shape opaque_shape(size_t bytes) {
    return one_run(Dtype::none, bytes);
}

Shape vector_shape(const Shape &item, size_t blocks, size_t block_count, ptrdiff_t stride) {
    Builder builder(item);
    builder.add(0, block_count, blocks, product(stride, item.extent));
    return builder.finish();
}

Shape indexed_shape(const Shape &item, std::span<const size_t> counts, const ptrdiff_t *displacements) {
    Builder builder(item);
    for (size_t k = 0; k < counts.size(); ++k) {
        if (counts[k] > 0) { // what is nowhere may be anywhere
            builder.add(product(displacements[k], item.extent), counts[k]);
        }
    }
    return builder.finish();
}

Shape resized_shape(const Shape &item, size_t extent) {
    Shape shape = item;
    shape.extent = checked(extent);
    return shape;
}

} // namespace xcoll

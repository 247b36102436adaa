#include "coll/tensor.h"

namespace xcoll {

bool Tensor::is_whole(const Split &split) const {
    return std::all_of(split.parts.begin(), split.parts.end(),
                       [&](const Interval &part) { return part.count == length(split); });
}

int64_t Tensor::size(const Split &split, int rank) const {
    const int64_t whole = length(split);
    return whole == 0 ? 0 : static_cast<int64_t>(elements) / whole * split.parts[static_cast<size_t>(rank)].count;
}

void Tensor::append_box(Shape &to_shape, const Split &side, int rank, const Interval &from_part,
                        const Interval &to_part) const {
    const size_t element = size_of(dtype);
    const size_t dims = shape.size();
    std::vector<Interval> box(dims);
    for (size_t d = 0; d < dims; ++d) {
        box[d] = {0, shape[d]};
    }
    auto &from_box = box[static_cast<size_t>(from.dim)], &to_box = box[static_cast<size_t>(to.dim)];
    from_box = from_box & from_part;
    to_box = to_box & to_part;
    box[static_cast<size_t>(side.dim)].first -= side.parts[static_cast<size_t>(rank)].first;
    ptrdiff_t offset = 0;
    size_t count = 1;
    for (size_t d = 0; d < dims; ++d) {
        count *= static_cast<size_t>(box[d].count);
        offset += box[d].first * side.strides[d];
    }
    if (count == 0) {
        return;
    }
    to_shape.bytes += count * element;
    // As many of the innermost dimensions as one view takes; then one view for each place in the others.
    View view = View::of(reinterpret_cast<char *>(offset), element);
    size_t outer = dims;
    while (outer > 0 && view.takes(static_cast<size_t>(box[outer - 1].count), side.strides[outer - 1])) {
        --outer;
        view = view.repeated(static_cast<size_t>(box[outer].count), side.strides[outer]);
    }
    const size_t views = count * element / view.bytes();
    for (size_t i = 0; i < views; ++i) {
        ptrdiff_t at = offset;
        size_t rest = i;
        for (size_t d = outer; d-- > 0;) {
            const auto indices = static_cast<size_t>(box[d].count);
            at += static_cast<ptrdiff_t>(rest % indices) * side.strides[d];
            rest /= indices;
        }
        view.base = reinterpret_cast<char *>(at);
        to_shape.views.push_back(view);
    }
}

} // namespace xcoll

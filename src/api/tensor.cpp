#include "api/tensor.h"

#include <algorithm>

#include "api/handle.h"
#include "api/sized.h"
#include "api/validate.h"
#include "base/digest.h"
#include "base/op.h"

namespace xcoll::api {

namespace {

constexpr int most_dims = 16;

xcoll_tensor_t read_struct(const xcoll_tensor_t *tensor) {
    const xcoll_tensor_t copy =
        read_sized(tensor, "tensor", "xcoll_tensor", {offsetof(xcoll_tensor_t, ndim), offsetof(xcoll_tensor_t, flags)});
    if (copy.flags != 0) {
        fail(XCOLL_ERR_UNSUPPORTED, "tensor.flags is %#x: this version supports only 0", copy.flags);
    }
    if (!is_dtype(copy.dtype)) {
        fail_dtype("tensor.dtype", copy.dtype);
    }
    if (copy.ndim < 1 || copy.ndim > most_dims) {
        fail(XCOLL_ERR_ARGUMENT, "tensor.ndim is %d: expected 1 to %d", copy.ndim, most_dims);
    }
    if (!copy.shape) {
        fail(XCOLL_ERR_ARGUMENT, "tensor.shape is NULL: expected the %d lengths of the whole tensor", copy.ndim);
    }
    return copy;
}

size_t count_elements(const std::vector<int64_t> &shape, size_t element) {
    bool empty = false;
    for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < 0) {
            fail(XCOLL_ERR_ARGUMENT, "tensor.shape[%zu] is %lld: expected 0 or more", d,
                 static_cast<long long>(shape[d]));
        }
        empty |= shape[d] == 0;
    }
    size_t elements = 1;
    for (const int64_t length : shape) {
        if (!empty &&
            (__builtin_mul_overflow(elements, static_cast<size_t>(length), &elements) || elements > most_elements)) {
            fail(XCOLL_ERR_ARGUMENT,
                 "tensor.shape has more elements than any memory, of %zu bytes each. Are all lengths set?", element);
        }
    }
    return empty ? 0 : elements;
}

void check_dim(const char *name, int dim, int ndim, bool may_be_partial) {
    if (dim < (may_be_partial ? XCOLL_PARTIAL : XCOLL_REPLICATED) || dim >= ndim) {
        fail(XCOLL_ERR_ARGUMENT, "%s is %d: expected a dimension from 0 to %d, XCOLL_REPLICATED%s", name, dim, ndim - 1,
             may_be_partial ? " or XCOLL_PARTIAL" : "");
    }
}

// As even as possible; or as the caller says.
std::vector<Interval> split(const char *name, int64_t length, const int64_t *first, const int64_t *count, int ranks) {
    std::vector<Interval> parts;
    if (first && !count) {
        fail(XCOLL_ERR_ARGUMENT, "tensor.%s_first is given, but tensor.%s_count is NULL: expected both", name, name);
    }
    int64_t next = 0;
    for (int p = 0; p < ranks; ++p) {
        const Interval part = {first ? first[p] : next, count ? count[p] : length / ranks + (p < length % ranks)};
        if (part.first < 0 || part.count < 0 || part.count > length || part.first > length - part.count) {
            fail(XCOLL_ERR_ARGUMENT, "tensor.%s: %lld elements from %lld on for rank %d: expected a part of 0 to %lld",
                 name, static_cast<long long>(part.count), static_cast<long long>(part.first), p,
                 static_cast<long long>(length));
        }
        parts.push_back(part);
        next = part.end();
    }
    return parts;
}

// The given ones, or those of a part that lies together, row by row.
std::vector<ptrdiff_t> strides_of(const char *name, const int64_t *given, const std::vector<int64_t> &lengths,
                                  size_t element) {
    std::vector<ptrdiff_t> strides(lengths.size());
    if (std::count(lengths.begin(), lengths.end(), 0) > 0) {
        return strides; // nothing is as far as they say
    }
    ptrdiff_t next = 1;
    for (size_t d = lengths.size(); d-- > 0;) {
        const ptrdiff_t stride = given ? given[d] : next;
        next *= std::max<ptrdiff_t>(1, lengths[d]);
        ptrdiff_t bytes, reach;
        if (__builtin_mul_overflow(stride, static_cast<ptrdiff_t>(element), &bytes) ||
            __builtin_mul_overflow(bytes, std::max<ptrdiff_t>(1, lengths[d]), &reach)) {
            fail(XCOLL_ERR_ARGUMENT, "tensor.%s[%zu] is %lld: farther than any memory reaches", name, d,
                 static_cast<long long>(stride));
        }
        strides[d] = bytes;
    }
    return strides;
}

uint32_t hash_of(const Tensor &tensor) {
    Digest digest;
    const auto add = [&](int64_t word) { digest.add(static_cast<uint64_t>(word)); };
    for (const int64_t length : tensor.shape) {
        add(length);
    }
    for (const Split *side : {&tensor.from, &tensor.to}) {
        for (const Interval &part : side->parts) {
            add(part.count > 0 ? part.first : 0);
            add(part.count);
        }
    }
    return digest.upper(ReshardSignature::hash_bits);
}

} // namespace

GivenTensor read_tensor(const xcoll_tensor_t *given, int from_dim, int to_dim, int rank, int ranks) {
    const xcoll_tensor_t t = read_struct(given);
    Tensor tensor;
    tensor.dtype = dtype_of(t.dtype);
    tensor.shape.assign(t.shape, t.shape + t.ndim);
    tensor.elements = count_elements(tensor.shape, size_of(t.dtype));
    check_dim("from_dim", from_dim, t.ndim, true);
    check_dim("to_dim", to_dim, t.ndim, false);
    const auto side = [&](const char *name, int dim, const int64_t *first, const int64_t *count,
                          const char *strides_name, const int64_t *strides) {
        const int64_t length = tensor.shape[static_cast<size_t>(std::max(dim, 0))];
        Split of;
        of.dim = std::max(dim, 0);
        of.parts = dim < 0 ? std::vector<Interval>(static_cast<size_t>(ranks), Interval{0, length})
                           : split(name, length, first, count, ranks);
        std::vector<int64_t> lengths = tensor.shape;
        lengths[static_cast<size_t>(of.dim)] = of.parts[static_cast<size_t>(rank)].count;
        of.strides = strides_of(strides_name, strides, lengths, size_of(t.dtype));
        return of;
    };
    tensor.from = side("from", from_dim, t.from_first, t.from_count, "send_strides", t.send_strides);
    tensor.to = side("to", to_dim, t.to_first, t.to_count, "recv_strides", t.recv_strides);
    const uint32_t hash = hash_of(tensor);
    return {std::move(tensor), t.dtype, t.op, hash};
}

} // namespace xcoll::api

extern "C" xcoll_result_t xcoll_tensor_defaults(xcoll_tensor_t *tensor, size_t struct_size) {
    using namespace xcoll::api;
    return guarded(__func__, [&] {
        out(tensor, "tensor");
        constexpr size_t first = offsetof(xcoll_tensor_t, flags) + sizeof tensor->flags;
        set_sized_defaults(tensor, struct_size, first, "xcoll_tensor");
    });
}

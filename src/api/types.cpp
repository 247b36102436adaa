// The data types that users make. All local.
#include "core/types.h"

#include "api/handle.h"
#include "api/validate.h"

namespace xcoll::api {

namespace {

// Throws TYPE.
std::shared_ptr<const Shape> shape_of(xcoll_dtype_t dtype) {
    if (is_dtype(dtype)) {
        return std::make_shared<const Shape>(plain_shape(dtype_of(dtype)));
    }
    auto shape = process().types().find(dtype);
    if (!shape) {
        fail_dtype("dtype", dtype);
    }
    return shape;
}

void check_count(const char *name, size_t count) {
    if (count > most_elements) {
        fail(XCOLL_ERR_ARGUMENT, "%s is %zu: more than any memory has. Was a negative number passed?", name, count);
    }
}

// The new type of make(), or 0 and an error.
template <class Make> xcoll_result_t make_type(const char *function, xcoll_dtype_t *type, Make make) noexcept {
    return guarded(function, [&] {
        check_not_forked();
        out(type, "type") = 0;
        auto shape = std::make_shared<const Shape>(make());
        *type = process().types().add([&] { return std::move(shape); });
    });
}

} // namespace

} // namespace xcoll::api

using namespace xcoll::api;
using xcoll::fail;
using xcoll::is_dtype;

extern "C" {

xcoll_result_t xcoll_type_vector(size_t blocks, size_t block_count, ptrdiff_t stride, xcoll_dtype_t dtype,
                                 xcoll_dtype_t *type) {
    return make_type(__func__, type, [&] {
        check_count("blocks", blocks);
        check_count("block_count", block_count);
        return xcoll::vector_shape(*shape_of(dtype), blocks, block_count, stride);
    });
}

xcoll_result_t xcoll_type_indexed(size_t n, const size_t counts[], const ptrdiff_t displs[], xcoll_dtype_t dtype,
                                  xcoll_dtype_t *type) {
    return make_type(__func__, type, [&] {
        check_count("n", n);
        if (n > 0 && !(counts && displs)) {
            fail(XCOLL_ERR_ARGUMENT, "%s is NULL: expected %zu of them", counts ? "displs" : "counts", n);
        }
        for (size_t k = 0; k < n; ++k) {
            if (counts[k] > xcoll::api::most_elements) [[unlikely]] {
                check_count(xcoll::format("counts[%zu]", k).c_str(), counts[k]);
            }
        }
        return xcoll::indexed_shape(*shape_of(dtype), {counts, n}, displs);
    });
}

xcoll_result_t xcoll_type_resized(xcoll_dtype_t dtype, size_t extent_bytes, xcoll_dtype_t *type) {
    return make_type(__func__, type, [&] {
        check_count("extent_bytes", extent_bytes);
        return xcoll::resized_shape(*shape_of(dtype), extent_bytes);
    });
}

xcoll_result_t xcoll_type_opaque(size_t bytes, xcoll_dtype_t *type) {
    return make_type(__func__, type, [&] {
        check_count("bytes", bytes);
        if (bytes == 0) {
            fail(XCOLL_ERR_ARGUMENT, "bytes is 0: expected the size of an item");
        }
        return xcoll::opaque_shape(bytes);
    });
}

xcoll_result_t xcoll_type_size(xcoll_dtype_t dtype, size_t *bytes) {
    return guarded(__func__, [&] { out(bytes, "bytes") = shape_of(dtype)->bytes; });
}

xcoll_result_t xcoll_type_extent(xcoll_dtype_t dtype, size_t *bytes) {
    return guarded(__func__, [&] { out(bytes, "bytes") = static_cast<size_t>(shape_of(dtype)->extent); });
}

xcoll_result_t xcoll_type_free(xcoll_dtype_t *type) {
    return guarded(__func__, [&] {
        if (handle_at(type, "type") == 0) {
            return;
        }
        if (is_dtype(*type)) {
            fail(XCOLL_ERR_TYPE, "type %#x is predefined: only types that were made are freed", *type);
        }
        if (!xcoll::process().types().remove(*type)) {
            fail_dtype("type", *type);
        }
        *type = 0;
    });
}

} // extern "C"

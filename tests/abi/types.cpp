// ranks: 1
//
// Every wrong argument of the functions of made types: the code, a message that names what is wrong, and no type.
#include "../ranks/ranks.h"

namespace {

void mistakes(ranks::Rank &) {
    xcoll_dtype_t type = 1;
    size_t bytes = 0;
    const size_t counts[2] = {1, SIZE_MAX};
    const ptrdiff_t displs[2] = {0, 1};
    const auto refused = [&](xcoll_result_t wanted, xcoll_result_t got, const std::vector<std::string> &words,
                             const ranks::Location &where = ranks::Location::current()) {
        ranks::expect(wanted, got, where);
        ranks::expect_message(words, where);
        ranks::check(type == 0, "a type that was not made is not 0", where);
        type = 1;
    };
    refused(XCOLL_ERR_TYPE, xcoll_type_vector(1, 1, 1, 0, &type), {"xcoll_type_vector", "dtype"});
    refused(XCOLL_ERR_TYPE, xcoll_type_vector(1, 1, 1, XCOLL_SUM, &type), {"swapped"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_vector(SIZE_MAX, 1, 1, XCOLL_INT8, &type), {"blocks"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_vector(1, SIZE_MAX, 1, XCOLL_INT8, &type), {"block_count"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_vector(3, 1, PTRDIFF_MAX, XCOLL_INT64, &type), {"memory"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_vector(3, 1, PTRDIFF_MAX, XCOLL_INT8, &type), {"memory"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_indexed(2, nullptr, displs, XCOLL_INT8, &type), {"counts is NULL"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_indexed(2, counts, nullptr, XCOLL_INT8, &type), {"displs is NULL"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_indexed(2, counts, displs, XCOLL_INT8, &type), {"counts[1]"});
    refused(XCOLL_ERR_TYPE, xcoll_type_indexed(1, counts, displs, 5, &type), {"xcoll_type_indexed", "dtype"});
    refused(XCOLL_ERR_TYPE, xcoll_type_resized(~0u, 8, &type), {"xcoll_type_resized", "dtype"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_resized(XCOLL_INT8, SIZE_MAX, &type), {"extent_bytes"});
    refused(XCOLL_ERR_ARGUMENT, xcoll_type_opaque(0, &type), {"xcoll_type_opaque", "bytes"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_type_vector(1, 1, 1, XCOLL_INT8, nullptr));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_type_opaque(1, nullptr));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_type_size(0, &bytes));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_type_size(XCOLL_INT8, nullptr));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_type_extent(XCOLL_MAX, &bytes));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_type_extent(XCOLL_INT8, nullptr));
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_type_free(nullptr));
    type = XCOLL_INT8;
    ranks::expect(XCOLL_ERR_TYPE, xcoll_type_free(&type));
    ranks::succeed(xcoll_type_opaque(8, &type));
    xcoll_dtype_t copy = type;
    ranks::succeed(xcoll_type_free(&type));
    ranks::succeed(xcoll_type_free(&type));
    ranks::expect(XCOLL_ERR_TYPE, xcoll_type_free(&copy));
    ranks::succeed(xcoll_type_size(XCOLL_COMPLEX128, &bytes));
    ranks::check(bytes == 16, "a predefined type has another size");
}

// What is nowhere may be anywhere, and items of nothing need no buffer.
void types_of_nothing(const ranks::Rank &rank) {
    const size_t none[2] = {0, 0};
    const ptrdiff_t far[2] = {PTRDIFF_MAX / 2, -PTRDIFF_MAX / 2};
    xcoll_dtype_t type = 0;
    ranks::succeed(xcoll_type_indexed(2, none, far, XCOLL_FLOAT64, &type));
    size_t bytes = 1;
    ranks::succeed(xcoll_type_size(type, &bytes));
    ranks::check(bytes == 0, "a type without items has a size");
    xcoll_comm_t comm = rank.open();
    ranks::succeed(xcoll_bcast(nullptr, 5, type, 0, comm));
    ranks::succeed(xcoll_sendrecv(nullptr, 5, 0, 0, nullptr, 5, 0, 0, type, comm));
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_type_free(&type));
}

// Few items, of little data each: no memory is as long.
void items_that_lie_too_far_apart(const ranks::Rank &rank) {
    xcoll_dtype_t type = 0;
    ranks::succeed(xcoll_type_vector(2, 1, ptrdiff_t{1} << 59, XCOLL_INT32, &type));
    char byte = 0;
    const size_t many[1] = {100};
    const uint64_t given = 1;
    uint64_t told = 0;
    xcoll_comm_t comm = rank.open();
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_bcast(&byte, 100, type, 0, comm));
    ranks::expect_message({"xcoll_bcast", "count 100", "memory"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_allgatherv(&byte, 100, &byte, many, nullptr, type, comm));
    ranks::expect_message({"xcoll_allgatherv", "count", "100", "memory"});
    ranks::expect(XCOLL_ERR_ARGUMENT, xcoll_allgather_dyn(&byte, &given, &byte, &told, 100, 0, type, comm));
    ranks::expect_message({"xcoll_allgather_dyn", "max_count 100", "memory"});
    ranks::succeed(xcoll_comm_free(&comm));
    ranks::succeed(xcoll_type_free(&type));
}

void test(ranks::Rank &rank) {
    mistakes(rank);
    items_that_lie_too_far_apart(rank);
    types_of_nothing(rank);
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

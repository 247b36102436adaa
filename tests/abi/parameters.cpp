// ranks: 1 3
//
// A message about a wrong argument names the parameter as xcoll.h does, and of an array which element is wrong. All
// ranks make the same mistakes; the communicator stays usable.
#include "mistakes.h"

using mistakes::make;
using ranks::Rank;

namespace {

constexpr size_t huge = SIZE_MAX / 2;
constexpr xcoll_dtype_t int32 = XCOLL_INT32;

// For items that do not lie together as well, which go another way.
void counts(const Rank &, xcoll_comm_t comm) {
    int a[64] = {}, b[64] = {};
    xcoll_dtype_t apart = 0;
    ranks::succeed(xcoll_type_vector(2, 1, 2, XCOLL_INT32, &apart));
    for (const xcoll_dtype_t dtype : {int32, apart}) {
        make({
            {"xcoll_bcast", [&] { return xcoll_bcast(a, huge, dtype, 0, comm); }, XCOLL_ERR_ARGUMENT, {"count"}},
            {"xcoll_allgather",
             [&] { return xcoll_allgather(a, huge, b, dtype, comm); },
             XCOLL_ERR_ARGUMENT,
             {"sendcount"}},
            {"xcoll_alltoall", [&] { return xcoll_alltoall(a, b, huge, dtype, comm); }, XCOLL_ERR_ARGUMENT, {"count"}},
            {"xcoll_gather",
             [&] { return xcoll_gather(a, huge, b, dtype, 0, comm); },
             XCOLL_ERR_ARGUMENT,
             {"sendcount"}},
            {"xcoll_scatter",
             [&] { return xcoll_scatter(a, b, huge, dtype, 0, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recvcount"}},
            {"xcoll_send", [&] { return xcoll_send(a, huge, dtype, 0, 0, comm); }, XCOLL_ERR_ARGUMENT, {"count"}},
            {"xcoll_sendrecv",
             [&] { return xcoll_sendrecv(a, huge, 0, 0, b, 1, 0, 0, dtype, comm); },
             XCOLL_ERR_ARGUMENT,
             {"sendcount"}},
            {"xcoll_sendrecv",
             [&] { return xcoll_sendrecv(a, 1, 0, 0, b, huge, 0, 0, dtype, comm); },
             XCOLL_ERR_ARGUMENT,
             {"recvcount"}},
        });
    }
    ranks::succeed(xcoll_type_free(&apart));
    make({
        {"xcoll_reduce_scatter",
         [&] { return xcoll_reduce_scatter(a, b, huge, int32, XCOLL_SUM, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvcount"}},
        {"xcoll_allgather_typed",
         [&] { return xcoll_allgather_typed(a, huge, int32, b, huge, int32, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvcount"}},
    });
}

void types(const Rank &, xcoll_comm_t comm) {
    int a[64] = {}, b[64] = {};
    make({
        {"xcoll_allgather", [&] { return xcoll_allgather(a, 1, b, 0, comm); }, XCOLL_ERR_TYPE, {"dtype"}},
        {"xcoll_gather", [&] { return xcoll_gather(a, 1, b, 0, 0, comm); }, XCOLL_ERR_TYPE, {"dtype"}},
        {"xcoll_scatter", [&] { return xcoll_scatter(a, b, 1, 0, 0, comm); }, XCOLL_ERR_TYPE, {"dtype"}},
        {"xcoll_alltoall", [&] { return xcoll_alltoall(a, b, 1, 0, comm); }, XCOLL_ERR_TYPE, {"dtype"}},
        {"xcoll_allgather_typed",
         [&] { return xcoll_allgather_typed(a, 1, 0, b, 1, int32, comm); },
         XCOLL_ERR_TYPE,
         {"sendtype"}},
        {"xcoll_alltoall_typed",
         [&] { return xcoll_alltoall_typed(a, 1, int32, b, 1, 0, comm); },
         XCOLL_ERR_TYPE,
         {"recvtype"}},
        {"xcoll_gather_typed",
         [&] { return xcoll_gather_typed(a, 1, 0, b, 1, int32, 0, comm); },
         XCOLL_ERR_TYPE,
         {"sendtype"}},
        {"xcoll_scatter_typed",
         [&] { return xcoll_scatter_typed(a, 1, int32, b, 1, 0, 0, comm); },
         XCOLL_ERR_TYPE,
         {"recvtype"}},
        {"xcoll_allreduce",
         [&] { return xcoll_allreduce(a, b, 1, XCOLL_FLOAT32, XCOLL_BOR, comm); },
         XCOLL_ERR_OP,
         {"op", "dtype"}},
    });
}

// The last element of an array is wrong.
void elements(const Rank &rank, xcoll_comm_t comm) {
    const auto size = static_cast<size_t>(rank.size());
    const std::string last = '[' + std::to_string(size - 1) + ']';
    std::vector<int> a(size), b(size);
    const std::vector<size_t> ones(size, 1), places(size, 0);
    std::vector<size_t> long_last = ones;
    long_last.back() = huge;
    const std::vector<xcoll_dtype_t> good(size, int32);
    std::vector<xcoll_dtype_t> bad_last = good;
    bad_last.back() = 0;
    struct W {
        const size_t *sendcounts, *sdispls;
        const xcoll_dtype_t *sendtypes;
        const size_t *recvcounts, *rdispls;
        const xcoll_dtype_t *recvtypes;
    };
    const size_t *one = ones.data(), *at = places.data();
    const xcoll_dtype_t *of = good.data();
    const auto w = [&](const W &x) {
        return [&, x] {
            return xcoll_alltoallw(a.data(), x.sendcounts, x.sdispls, x.sendtypes, b.data(), x.recvcounts, x.rdispls,
                                   x.recvtypes, comm);
        };
    };
    const auto v = [&](const size_t *sendcounts, const size_t *recvcounts) {
        return [=, &a, &b] {
            return xcoll_alltoallv(a.data(), sendcounts, nullptr, b.data(), recvcounts, nullptr, int32, comm);
        };
    };
    const char *name = "xcoll_alltoallw";
    make({
        {name, w({one, nullptr, of, one, at, of}), XCOLL_ERR_ARGUMENT, {"sdispls_bytes is NULL"}},
        {name, w({one, at, nullptr, one, at, of}), XCOLL_ERR_ARGUMENT, {"sendtypes is NULL"}},
        {name, w({nullptr, at, of, one, at, of}), XCOLL_ERR_ARGUMENT, {"sendcounts is NULL"}},
        {name, w({one, at, of, nullptr, at, of}), XCOLL_ERR_ARGUMENT, {"recvcounts is NULL"}},
        {name, w({one, at, of, one, nullptr, of}), XCOLL_ERR_ARGUMENT, {"rdispls_bytes is NULL"}},
        {name, w({one, at, of, one, at, nullptr}), XCOLL_ERR_ARGUMENT, {"recvtypes is NULL"}},
        {name, w({one, at, bad_last.data(), one, at, of}), XCOLL_ERR_TYPE, {"sendtypes" + last}},
        {name, w({one, at, of, one, at, bad_last.data()}), XCOLL_ERR_TYPE, {"recvtypes" + last}},
        {name, w({one, at, of, long_last.data(), at, of}), XCOLL_ERR_ARGUMENT, {"recvcounts" + last}},
        {"xcoll_alltoallv", v(long_last.data(), one), XCOLL_ERR_ARGUMENT, {"sendcounts" + last}},
        {"xcoll_alltoallv", v(one, long_last.data()), XCOLL_ERR_ARGUMENT, {"recvcounts" + last}},
        {"xcoll_allgatherv",
         [&] { return xcoll_allgatherv(a.data(), 1, b.data(), long_last.data(), nullptr, int32, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvcounts" + last}},
        {"xcoll_reduce_scatterv",
         [&] { return xcoll_reduce_scatterv(a.data(), b.data(), long_last.data(), int32, XCOLL_SUM, comm); },
         XCOLL_ERR_ARGUMENT,
         {"recvcounts" + last}},
    });
}

// What is offered instead is what the call can do.
void overlaps(const Rank &rank, xcoll_comm_t comm) {
    int data[8] = {};
    const int self = rank.rank();
    const auto refused = [](xcoll_result_t got, const std::vector<std::string> &said) {
        ranks::expect(XCOLL_ERR_ARGUMENT, got);
        for (const std::string &words : said) {
            mistakes::expect_words(words);
        }
        ranks::check(!mistakes::has_words(xcoll_last_error(), "XCOLL_IN_PLACE"), "XCOLL_IN_PLACE is offered in vain");
    };
    refused(xcoll_reduce_local(data, data + 1, 4, int32, XCOLL_SUM), {"in", "inout", "overlap"});
    refused(xcoll_sendrecv(data, 4, self, 0, data + 1, 4, self, 0, int32, comm), {"send", "recv", "overlap"});
    make({{"xcoll_allreduce",
           [&] { return xcoll_allreduce(data, data + 1, 4, int32, XCOLL_SUM, comm); },
           XCOLL_ERR_ARGUMENT,
           {"send", "recv", "overlap", "XCOLL_IN_PLACE"}}});
}

void communicators(const Rank &, xcoll_comm_t comm) {
    int rank = 0;
    const char *name = "xcoll_comm_translate_rank";
    make({
        {name,
         [&] { return xcoll_comm_translate_rank(XCOLL_COMM_NULL, 0, comm, &rank); },
         XCOLL_ERR_ARGUMENT,
         {"from is XCOLL_COMM_NULL"}},
        {name,
         [&] { return xcoll_comm_translate_rank(comm, 0, XCOLL_COMM_NULL, &rank); },
         XCOLL_ERR_ARGUMENT,
         {"to is XCOLL_COMM_NULL"}},
        {name, [&] { return xcoll_comm_translate_rank(comm, 0, comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"translated"}},
    });
}

void test(Rank &rank) {
    mistakes::make_all(rank, {counts, types, elements, overlaps, communicators});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 3
//
// Every wrong argument of the calls whose counts are read when they run, also of what is wrong only by then: the code,
// and a message that names it. All ranks make the same mistakes; the communicator stays usable throughout.
#include "mistakes.h"

using mistakes::expect_usable;
using ranks::Rank;

namespace {

constexpr size_t most = 4, huge = SIZE_MAX / 2;

// The arguments of a call that is right: each mistake changes them.
struct Arguments {
    const void *send;
    uint64_t *sendcounts;
    void *recv;
    uint64_t *recvcounts;
    size_t max_count = most;
    int packed = 0;
    xcoll_dtype_t dtype = XCOLL_INT32;
};

struct Mistake {
    const char *words;
    void (*make)(Arguments &);
    xcoll_result_t wanted = XCOLL_ERR_ARGUMENT;
};

constexpr Mistake mistakes_of_both[] = {
    {"recvcounts is NULL", [](Arguments &a) { a.recvcounts = nullptr; }},
    {"recv is NULL", [](Arguments &a) { a.recv = nullptr; }},
    {"recv is XCOLL_IN_PLACE", [](Arguments &a) { a.recv = XCOLL_IN_PLACE; }},
    {"max_count", [](Arguments &a) { a.max_count = huge; }},
    {"dtype", [](Arguments &a) { a.dtype = 0; }, XCOLL_ERR_TYPE},
    {"swapped", [](Arguments &a) { a.dtype = XCOLL_SUM; }, XCOLL_ERR_TYPE},
    // When they run.
    {"send is NULL", [](Arguments &a) { a.send = nullptr; }},
    {"overlap", [](Arguments &a) { a.send = static_cast<int32_t *>(a.recv) + 1; }},
    {"max_count is 4", [](Arguments &a) { a.sendcounts[0] = most + 1; }, XCOLL_ERR_TRUNCATE},
    {"max_count is 0", [](Arguments &a) { a.max_count = 0; }, XCOLL_ERR_TRUNCATE},
    {"max_count is 4", [](Arguments &a) { a.sendcounts[0] = ~uint64_t{0}; }, XCOLL_ERR_TRUNCATE},
};
constexpr Mistake mistakes_of_allgather[] = {
    {"sendcount is NULL", [](Arguments &a) { a.sendcounts = nullptr; }},
    {"packed is set and send is XCOLL_IN_PLACE", [](Arguments &a) { a.packed = 1, a.send = XCOLL_IN_PLACE; }},
};

constexpr Mistake mistakes_of_alltoall[] = {
    {"sendcounts is NULL", [](Arguments &a) { a.sendcounts = nullptr; }},
};

using Call = xcoll_result_t (*)(const Arguments &, xcoll_comm_t);
xcoll_result_t allgather(const Arguments &a, xcoll_comm_t comm) {
    return xcoll_allgather_dyn(a.send, a.sendcounts, a.recv, a.recvcounts, a.max_count, a.packed, a.dtype, comm);
}
xcoll_result_t alltoall(const Arguments &a, xcoll_comm_t comm) {
    return xcoll_alltoall_dyn(a.send, a.sendcounts, a.recv, a.recvcounts, a.max_count, a.dtype, comm);
}
xcoll_result_t iallgather(const Arguments &a, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const xcoll_result_t result = xcoll_iallgather_dyn(a.send, a.sendcounts, a.recv, a.recvcounts, a.max_count,
                                                       a.packed, a.dtype, comm, &request);
    return result == XCOLL_SUCCESS ? xcoll_wait(&request) : result;
}
xcoll_result_t grouped_alltoall(const Arguments &a, xcoll_comm_t comm) {
    ranks::succeed(xcoll_group_start());
    const xcoll_result_t result = alltoall(a, comm), end = xcoll_group_end();
    return end == XCOLL_SUCCESS ? result : end;
}

void make(const Mistake &mistake, Call call, const Rank &rank, xcoll_comm_t comm) {
    const auto parts = static_cast<size_t>(rank.size());
    std::vector<int32_t> send(most * parts), recv(most * parts);
    std::vector<uint64_t> sent(parts, most), received(parts);
    Arguments arguments{send.data(), sent.data(), recv.data(), received.data()};
    ranks::succeed(call(arguments, comm));
    mistake.make(arguments);
    const xcoll_result_t got = call(arguments, comm);
    if (got != mistake.wanted) {
        ranks::wrong(std::string(mistake.words) + ": got " + xcoll_error_name(got) + " (" + xcoll_last_error() +
                     ") instead of " + xcoll_error_name(mistake.wanted));
    }
    mistakes::expect_words(mistake.words);
    expect_usable(comm, rank.size());
}

void test(Rank &rank) {
    for (const char *settings : {"", "ALLGATHER_DYN=messages;ALLTOALL_DYN=messages"}) {
        xcoll_comm_t comm = rank.open(settings);
        for (const Mistake &mistake : mistakes_of_both) {
            for (const Call call : {allgather, iallgather, alltoall, grouped_alltoall}) {
                make(mistake, call, rank, comm);
            }
        }
        for (const Mistake &mistake : mistakes_of_allgather) {
            for (const Call call : {allgather, iallgather}) {
                make(mistake, call, rank, comm);
            }
        }
        for (const Mistake &mistake : mistakes_of_alltoall) {
            for (const Call call : {alltoall, grouped_alltoall}) {
                make(mistake, call, rank, comm);
            }
        }
        ranks::succeed(xcoll_comm_free(&comm));
    }
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

// ranks: 1 3
//
// Every wrong argument of every function: the code, and a message that names the function and the argument. All ranks
// make the same mistakes; the communicator stays usable throughout.
#include "mistakes.h"

using mistakes::make;
using ranks::Rank;

namespace {

constexpr xcoll_dtype_t no_dtypes[] = {0, XCOLL_SUM, XCOLL_FLOAT64 + 1, XCOLL_INT32 + 0x100, 0x08000001, ~0u};
constexpr xcoll_op_t no_operators[] = {0, XCOLL_INT32, XCOLL_BXOR + 1, XCOLL_SUM + 0x100, 0x28000001, ~0u};
constexpr size_t huge = SIZE_MAX / 2;

void queries(const Rank &, xcoll_comm_t comm) {
    int value = 0;
    uint64_t number = 0;
    xcoll_result_t error = XCOLL_SUCCESS;
    const xcoll_comm_t none = XCOLL_COMM_NULL;
    make({
        {"xcoll_comm_rank", [&] { return xcoll_comm_rank(none, &value); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_rank", [&] { return xcoll_comm_rank(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"rank is NULL"}},
        {"xcoll_comm_size", [&] { return xcoll_comm_size(none, &value); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_size", [&] { return xcoll_comm_size(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"size is NULL"}},
        {"xcoll_comm_local_rank", [&] { return xcoll_comm_local_rank(none, &value); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_local_rank", [&] { return xcoll_comm_local_rank(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"rank"}},
        {"xcoll_comm_local_size", [&] { return xcoll_comm_local_size(none, &value); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_local_size", [&] { return xcoll_comm_local_size(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"size"}},
        {"xcoll_comm_sequence", [&] { return xcoll_comm_sequence(none, &number); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_sequence", [&] { return xcoll_comm_sequence(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"number"}},
        {"xcoll_comm_get_async_error",
         [&] { return xcoll_comm_get_async_error(none, &error); },
         XCOLL_ERR_ARGUMENT,
         {"comm"}},
        {"xcoll_comm_get_async_error",
         [&] { return xcoll_comm_get_async_error(comm, nullptr); },
         XCOLL_ERR_ARGUMENT,
         {"error"}},
        {"xcoll_comm_set_timeout", [&] { return xcoll_comm_set_timeout(none, 5); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_set_timeout",
         [&] { return xcoll_comm_set_timeout(comm, 0); },
         XCOLL_ERR_ARGUMENT,
         {"milliseconds"}},
        {"xcoll_comm_abort", [&] { return xcoll_comm_abort(none, "x"); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_free", [&] { return xcoll_comm_free(nullptr); }, XCOLL_ERR_ARGUMENT, {"comm"}},
    });
}

void derived_communicators(const Rank &, xcoll_comm_t comm) {
    xcoll_comm_t out = comm;
    make({
        {"xcoll_comm_split",
         [&] { return xcoll_comm_split(XCOLL_COMM_NULL, 0, 0, &out); },
         XCOLL_ERR_ARGUMENT,
         {"comm"}},
        {"xcoll_comm_split",
         [&] { return xcoll_comm_split(comm, 0, 0, nullptr); },
         XCOLL_ERR_ARGUMENT,
         {"out is NULL"}},
        {"xcoll_comm_split", [&] { return xcoll_comm_split(comm, -1, 0, &out); }, XCOLL_ERR_ARGUMENT, {"color is -1"}},
        {"xcoll_comm_dup", [&] { return xcoll_comm_dup(XCOLL_COMM_NULL, &out); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_comm_dup", [&] { return xcoll_comm_dup(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"out is NULL"}},
    });
    ranks::check(out == XCOLL_COMM_NULL, "a call that fails to make a communicator leaves NULL");
}

void bcasts(const Rank &rank, xcoll_comm_t comm) {
    int data[4] = {};
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    const int size = rank.size();
    const std::string last = "expected 0 to " + std::to_string(size - 1);
    make({
        {"xcoll_bcast",
         [&] { return xcoll_bcast(data, 4, XCOLL_INT32, 0, XCOLL_COMM_NULL); },
         XCOLL_ERR_ARGUMENT,
         {"comm"}},
        {"xcoll_bcast",
         [&] { return xcoll_bcast(data, 4, XCOLL_INT32, -1, comm); },
         XCOLL_ERR_ARGUMENT,
         {"root -1", last}},
        {"xcoll_bcast",
         [&] { return xcoll_bcast(data, 4, XCOLL_INT32, size, comm); },
         XCOLL_ERR_ARGUMENT,
         {"root", last}},
        {"xcoll_bcast", [&] { return xcoll_bcast(nullptr, 4, XCOLL_INT32, 0, comm); }, XCOLL_ERR_ARGUMENT, {"buf"}},
        {"xcoll_bcast",
         [&] { return xcoll_bcast(XCOLL_IN_PLACE, 4, XCOLL_INT32, 0, comm); },
         XCOLL_ERR_ARGUMENT,
         {"buf"}},
        {"xcoll_bcast", [&] { return xcoll_bcast(data, huge, XCOLL_INT32, 0, comm); }, XCOLL_ERR_ARGUMENT, {"count"}},
        {"xcoll_ibcast",
         [&] { return xcoll_ibcast(data, 4, XCOLL_INT32, 0, comm, nullptr); },
         XCOLL_ERR_ARGUMENT,
         {"request"}},
        {"xcoll_ibcast",
         [&] { return xcoll_ibcast(data, 4, XCOLL_INT32, size, comm, &request); },
         XCOLL_ERR_ARGUMENT,
         {"root", last}},
        {"xcoll_ibcast",
         [&] { return xcoll_ibcast(data, 4, XCOLL_INT32, 0, XCOLL_COMM_NULL, &request); },
         XCOLL_ERR_ARGUMENT,
         {"comm"}},
        {"xcoll_barrier", [&] { return xcoll_barrier(XCOLL_COMM_NULL); }, XCOLL_ERR_ARGUMENT, {"comm"}},
        {"xcoll_ibarrier", [&] { return xcoll_ibarrier(comm, nullptr); }, XCOLL_ERR_ARGUMENT, {"request"}},
        {"xcoll_ibarrier", [&] { return xcoll_ibarrier(XCOLL_COMM_NULL, &request); }, XCOLL_ERR_ARGUMENT, {"comm"}},
    });
    for (const xcoll_dtype_t dtype : no_dtypes) {
        make({{"xcoll_bcast", [&] { return xcoll_bcast(data, 1, dtype, 0, comm); }, XCOLL_ERR_TYPE, {"dtype"}},
              {"xcoll_ibcast",
               [&] { return xcoll_ibcast(data, 1, dtype, 0, comm, &request); },
               XCOLL_ERR_TYPE,
               {"dtype"}}});
    }
    ranks::check(request == XCOLL_REQUEST_NULL, "a call that is refused leaves no request");
}

void allreduces(const Rank &, xcoll_comm_t comm) {
    float data[8] = {}, other[8] = {};
    const auto of = [comm](const void *send, void *recv, size_t count) {
        return [=] { return xcoll_allreduce(send, recv, count, XCOLL_FLOAT32, XCOLL_SUM, comm); };
    };
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    make({
        {"xcoll_allreduce", of(nullptr, data, 4), XCOLL_ERR_ARGUMENT, {"send is NULL"}},
        {"xcoll_allreduce", of(data, nullptr, 4), XCOLL_ERR_ARGUMENT, {"recv is NULL"}},
        {"xcoll_allreduce", of(data, XCOLL_IN_PLACE, 4), XCOLL_ERR_ARGUMENT, {"recv", "XCOLL_IN_PLACE"}},
        {"xcoll_allreduce", of(data, data + 1, 4), XCOLL_ERR_ARGUMENT, {"send", "recv", "overlap"}},
        {"xcoll_allreduce", of(data + 3, data, 4), XCOLL_ERR_ARGUMENT, {"send", "recv", "overlap"}},
        {"xcoll_allreduce", of(data, other, huge), XCOLL_ERR_ARGUMENT, {"count"}},
        {"xcoll_allreduce",
         [&] { return xcoll_allreduce(data, other, 1, XCOLL_FLOAT32, XCOLL_SUM, XCOLL_COMM_NULL); },
         XCOLL_ERR_ARGUMENT,
         {"comm"}},
        {"xcoll_allreduce",
         [&] { return xcoll_allreduce(data, other, 1, XCOLL_SUM, XCOLL_FLOAT32, comm); },
         XCOLL_ERR_TYPE,
         {"dtype", "swapped"}},
        {"xcoll_allreduce",
         [&] { return xcoll_allreduce(data, other, 1, XCOLL_INT8, XCOLL_INT8, comm); },
         XCOLL_ERR_OP,
         {"op", "swapped"}},
        {"xcoll_iallreduce",
         [&] { return xcoll_iallreduce(data, other, 1, XCOLL_FLOAT32, XCOLL_SUM, comm, nullptr); },
         XCOLL_ERR_ARGUMENT,
         {"request"}},
        {"xcoll_iallreduce",
         [&] { return xcoll_iallreduce(data, data + 1, 2, XCOLL_FLOAT32, XCOLL_SUM, comm, &request); },
         XCOLL_ERR_ARGUMENT,
         {"send", "recv", "overlap"}},
    });
    for (const xcoll_dtype_t dtype : no_dtypes) {
        make({{"xcoll_allreduce",
               [&] { return xcoll_allreduce(data, other, 1, dtype, XCOLL_SUM, comm); },
               XCOLL_ERR_TYPE,
               {"dtype"}}});
    }
    for (const xcoll_op_t op : no_operators) {
        make({{"xcoll_allreduce",
               [&] { return xcoll_allreduce(data, other, 1, XCOLL_INT8, op, comm); },
               XCOLL_ERR_OP,
               {"op"}}});
    }
    for (const xcoll_dtype_t dtype : {XCOLL_FLOAT16, XCOLL_BFLOAT16, XCOLL_FLOAT32, XCOLL_FLOAT64}) {
        for (const xcoll_op_t op : {XCOLL_BAND, XCOLL_BOR, XCOLL_BXOR}) {
            make({{"xcoll_allreduce",
                   [&] { return xcoll_allreduce(data, other, 1, dtype, op, comm); },
                   XCOLL_ERR_OP,
                   {"op", "dtype"}}});
        }
    }
    ranks::check(request == XCOLL_REQUEST_NULL, "a call that is refused leaves no request");
}

void requests(const Rank &, xcoll_comm_t comm) {
    xcoll_request_t none = XCOLL_REQUEST_NULL;
    int done = 0;
    make({
        {"xcoll_test", [&] { return xcoll_test(nullptr, &done); }, XCOLL_ERR_ARGUMENT, {"request"}},
        {"xcoll_test", [&] { return xcoll_test(&none, nullptr); }, XCOLL_ERR_ARGUMENT, {"done"}},
        {"xcoll_wait", [&] { return xcoll_wait(nullptr); }, XCOLL_ERR_ARGUMENT, {"request"}},
        {"xcoll_waitall", [&] { return xcoll_waitall(2, nullptr); }, XCOLL_ERR_ARGUMENT, {"requests"}},
    });
    ranks::succeed(xcoll_test(&none, &done));
    ranks::check(done == 1, "a NULL request is finished");
    ranks::succeed(xcoll_wait(&none));
    ranks::succeed(xcoll_waitall(0, nullptr));
    xcoll_request_t several[2] = {};
    ranks::succeed(xcoll_ibarrier(comm, &several[1]));
    ranks::succeed(xcoll_waitall(2, several));
}

// No mistakes: nothing to send or to receive.
void nothing_at_all(const Rank &, xcoll_comm_t comm) {
    ranks::succeed(xcoll_allreduce(nullptr, nullptr, 0, XCOLL_FLOAT32, XCOLL_SUM, comm));
    ranks::succeed(xcoll_allreduce(XCOLL_IN_PLACE, nullptr, 0, XCOLL_FLOAT16, XCOLL_AVG, comm));
    ranks::succeed(xcoll_bcast(nullptr, 0, XCOLL_INT8, 0, comm));
    xcoll_comm_t none = XCOLL_COMM_NULL;
    ranks::succeed(xcoll_comm_free(&none));
    ranks::succeed(xcoll_version(nullptr, nullptr, nullptr));
    for (const xcoll_result_t result : {-1, 0, 20, 21, 1000}) {
        ranks::check(xcoll_error_name(result) && xcoll_error_string(result), "a result has no name");
    }
}

void test(Rank &rank) {
    ranks::check(rank.rank() < 0 || xcoll_last_error()[0] == '\0', "there was an error before any mistake");
    mistakes::make_all(rank, {queries, derived_communicators, bcasts, allreduces, requests, nothing_at_all});
}

} // namespace

int main(int argc, char **argv) {
    return ranks::run(argc, argv, test);
}

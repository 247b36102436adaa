#include "tools/shared/operations.h"

#include <algorithm>

namespace xcoll::perf {

namespace {

// How the data of each operation move. A row is missing: the compiler says so where the table below is made.
constexpr struct {
    std::string_view name;
    enum op shape;
} shapes[] = {{"barrier", OP_BARRIER},
              {"bcast", OP_BCAST},
              {"reduce", OP_REDUCE},
              {"allreduce", OP_ALLREDUCE},
              {"reduce_scatter", OP_REDUCE_SCATTER},
              {"reduce_scatterv", OP_REDUCE_SCATTERV},
              {"allgather", OP_ALLGATHER},
              {"allgatherv", OP_ALLGATHERV},
              {"alltoall", OP_ALLTOALL},
              {"alltoallv", OP_ALLTOALLV},
              {"gather", OP_GATHER},
              {"gatherv", OP_GATHERV},
              {"scatter", OP_SCATTER},
              {"scatterv", OP_SCATTERV},
              {"scan", OP_SCAN},
              {"exscan", OP_EXSCAN},
              {"send", OP_SEND},
              {"recv", OP_RECV},
              {"sendrecv", OP_SENDRECV},
              {"allgather_typed", OP_ALLGATHER},
              {"alltoall_typed", OP_ALLTOALL},
              {"gather_typed", OP_GATHER},
              {"scatter_typed", OP_SCATTER},
              {"allgather_dyn", OP_ALLGATHER},
              {"alltoall_dyn", OP_ALLTOALL},
              {"allgatherw", OP_ALLGATHERV},
              {"alltoallw", OP_ALLTOALLV},
              // A matrix of one row for each rank is split by columns instead: a block for everybody.
              {"reshard", OP_ALLTOALL}};

consteval enum op shape_of(std::string_view name) {
    for (const auto &row : shapes) {
        if (row.name == name) {
            return row.shape;
        }
    }
    throw "an operation without a row in shapes[]";
}

// The parameters in parentheses begin with a comma in the table, or there are none.
#define WITH(nothing, ...) (__VA_ARGS__ __VA_OPT__(, ) comm)
#define WITH_REQUEST(nothing, ...) (__VA_ARGS__ __VA_OPT__(, ) comm, request)
#define WITH_STREAM(nothing, ...) (__VA_ARGS__ __VA_OPT__(, ) comm, stream)
#define UNPACK                                                                                                         \
    [[maybe_unused]] const auto &[buf, recv, send, count, recvcount, max_count, sendcount, recvcounts, sendcounts,     \
                                  displs, sdispls, rdispls, sdispls_bytes, rdispls_bytes, dtype, sendtype, recvtype,   \
                                  sendtypes, recvtypes, op, root, peer, tag, dest, sendtag, source, recvtag, tensor,   \
                                  from_dim, to_dim, packed] = arguments

#define OPERATION(name, parameters, names)                                                                             \
    {#name,                                                                                                            \
     shape_of(#name),                                                                                                  \
     #names,                                                                                                           \
     [](const Arguments &arguments, xcoll_comm_t comm) {                                                               \
         UNPACK;                                                                                                       \
         return xcoll_##name WITH names;                                                                               \
     },                                                                                                                \
     [](const Arguments &arguments, xcoll_comm_t comm, xcoll_request_t *request) {                                     \
         UNPACK;                                                                                                       \
         return xcoll_i##name WITH_REQUEST names;                                                                      \
     },                                                                                                                \
     [](const Arguments &arguments, xcoll_comm_t comm, xcoll_request_t *request) {                                     \
         UNPACK;                                                                                                       \
         return xcoll_##name##_init WITH_REQUEST names;                                                                \
     },                                                                                                                \
     [](const Arguments &arguments, xcoll_comm_t comm, xcoll_stream_t stream) {                                        \
         UNPACK;                                                                                                       \
         return xcoll_##name##_enqueue WITH_STREAM names;                                                              \
     }},

constexpr Operation table[] = {
#include "api/operations.def"
};

} // namespace

bool Operation::takes(std::string_view parameter) const {
    // "(, send, recv, count)"
    const std::string_view all = parameters;
    for (size_t at = all.find(parameter); at != std::string_view::npos; at = all.find(parameter, at + 1)) {
        const char before = all[at - 1], behind = all[at + parameter.size()];
        if (before == ' ' && (behind == ',' || behind == ')')) {
            return true;
        }
    }
    return false;
}

std::span<const Operation> operations() {
    return table;
}

const Operation *find_operation(std::string_view name) {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const Operation &operation) { return name == operation.name; });
    return found == std::end(table) ? nullptr : found;
}

} // namespace xcoll::perf

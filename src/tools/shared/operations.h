// Every operation of the library in its four forms, made from the operation table, and what to hand to them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tools/shared/shape.h"
#include "xcoll.h"

namespace xcoll::perf {

// Some operations take a count and others the address of one, by the same name: arguments outlive the call.
struct SendCount {
    uint64_t count;
    operator size_t() const {
        return count;
    }
    operator const uint64_t *() const {
        return &count;
    }
};
// Some read them, others write what they find.
struct ReceiveCounts {
    size_t *counts;
    operator const size_t *() const {
        return counts;
    }
    operator uint64_t *() const {
        return counts;
    }
};

// The parameters of all operations by the names that the table gives them: an operation takes those that it needs. The
// order does not matter.
struct Arguments {
    void *buf, *recv;
    const void *send;
    size_t count, recvcount, max_count;
    SendCount sendcount;
    ReceiveCounts recvcounts;
    const size_t *sendcounts, *displs, *sdispls, *rdispls, *sdispls_bytes, *rdispls_bytes;
    xcoll_dtype_t dtype, sendtype, recvtype;
    const xcoll_dtype_t *sendtypes, *recvtypes;
    xcoll_op_t op;
    int root, peer, tag, dest, sendtag, source, recvtag;
    const xcoll_tensor_t *tensor;
    int from_dim, to_dim, packed;
};

struct Operation {
    const char *name;
    enum op shape;
    const char *parameters;
    xcoll_result_t (*call)(const Arguments &arguments, xcoll_comm_t comm);
    xcoll_result_t (*start)(const Arguments &arguments, xcoll_comm_t comm, xcoll_request_t *request);
    xcoll_result_t (*init)(const Arguments &arguments, xcoll_comm_t comm, xcoll_request_t *request);
    xcoll_result_t (*enqueue)(const Arguments &arguments, xcoll_comm_t comm, xcoll_stream_t stream);

    bool takes(std::string_view parameter) const;
    // Between two ranks, which no others need to know of.
    bool is_message() const {
        return shape == OP_SEND || shape == OP_RECV || shape == OP_SENDRECV;
    }
};

std::span<const Operation> operations();
// nullptr if there is none.
const Operation *find_operation(std::string_view name);

} // namespace xcoll::perf

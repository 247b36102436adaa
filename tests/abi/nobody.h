// Messages to and from XCOLL_NO_RANK, where ranks share memory (nobody.cpp) and where they do not (net/apart.cpp).
#pragma once

#include <climits>

#include "ranks/ranks.h"

namespace ranks::nobody {

inline constexpr size_t huge = SIZE_MAX / 2;
inline constexpr xcoll_dtype_t no_dtype = XCOLL_SUM;

inline void expect_nothing(xcoll_request_t *request) {
    int done = 0;
    xcoll_status_t status;
    succeed(xcoll_wait_for(request, -1, &done, &status));
    check(status.source == XCOLL_NO_RANK && status.bytes == 0, "a message from nobody came from somebody");
}

inline void whatever_else_is_given(const Rank &, xcoll_comm_t comm) {
    for (const int tag : {-1, INT_MIN, int{XCOLL_ANY_TAG}}) {
        for (const size_t count : {size_t{0}, size_t{1}, huge}) {
            succeed(xcoll_send(nullptr, count, no_dtype, XCOLL_NO_RANK, tag, comm));
            succeed(xcoll_recv(nullptr, count, no_dtype, XCOLL_NO_RANK, tag, comm));
            succeed(xcoll_sendrecv(nullptr, count, XCOLL_NO_RANK, tag, XCOLL_IN_PLACE, count, XCOLL_NO_RANK, tag,
                                   no_dtype, comm));
        }
    }
}

inline void in_every_form(const Rank &, xcoll_comm_t comm) {
    xcoll_request_t request = XCOLL_REQUEST_NULL;
    succeed(xcoll_irecv(nullptr, 1, no_dtype, XCOLL_NO_RANK, -1, comm, &request));
    expect_nothing(&request);
    succeed(xcoll_recv_enqueue(nullptr, 1, no_dtype, XCOLL_NO_RANK, -1, comm, nullptr));
    succeed(xcoll_recv_init(nullptr, 1, no_dtype, XCOLL_NO_RANK, -1, comm, &request));
    for (int turn = 0; turn < 2; ++turn) {
        succeed(xcoll_start(&request));
        expect_nothing(&request);
    }
    succeed(xcoll_request_rebind(request, 0, XCOLL_SLOT_RECV, nullptr));
    succeed(xcoll_request_free(&request));
}

// What stands beside them in the group is done.
inline void in_a_group(const Rank &rank, xcoll_comm_t comm) {
    int one = 1, sum = 0;
    succeed(xcoll_group_start());
    succeed(xcoll_send(nullptr, 1, no_dtype, XCOLL_NO_RANK, -1, comm));
    succeed(xcoll_allreduce(&one, &sum, 1, XCOLL_INT32, XCOLL_SUM, comm));
    succeed(xcoll_recv(nullptr, 1, no_dtype, XCOLL_NO_RANK, -1, comm));
    succeed(xcoll_sendrecv(nullptr, 1, XCOLL_NO_RANK, -1, nullptr, 1, XCOLL_NO_RANK, -1, no_dtype, comm));
    succeed(xcoll_group_end());
    check(sum == rank.size(), "an operation beside messages with nobody has a wrong result");
}

} // namespace ranks::nobody

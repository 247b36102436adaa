// How a deed calls the library: by its own function, in any of the four forms.
#pragma once

#include "deed.h"

namespace deeds {

inline xcoll_result_t Deed::call(Form form, xcoll_comm_t comm, xcoll_request_t *request) {
    const void *s = in_place() ? XCOLL_IN_PLACE : send();
    unsigned char *r = recv();
    const size_t own = given(rank_, 0), n = count_;
    const std::vector<size_t> outs = sizes(out_), out_at = places(out_), ins = sizes(in_), in_at = places(in_);
    std::vector<size_t> parts;
    for (int p = 0; p < size_; ++p) {
        parts.push_back(given(0, p));
    }
    const auto run = [&](auto b, auto i, auto p, auto e, auto... arguments) {
        switch (form) {
        case blocking:
            return b(arguments..., comm);
        case immediate:
            return i(arguments..., comm, request);
        case persistent:
            return p(arguments..., comm, request);
        default:
            return e(arguments..., comm, nullptr);
        }
    };
#define DEED(name, ...) run(xcoll_##name, xcoll_i##name, xcoll_##name##_init, xcoll_##name##_enqueue, __VA_ARGS__)
    switch (what_) {
    case bcast:
        return DEED(bcast, static_cast<void *>(r), n, type, root_);
    case reduce:
        return DEED(reduce, s, static_cast<void *>(r), n, type, XCOLL_SUM, root_);
    case allreduce:
        return DEED(allreduce, s, static_cast<void *>(r), n, type, XCOLL_SUM);
    case reduce_scatter:
        return DEED(reduce_scatter, s, static_cast<void *>(r), n, type, XCOLL_SUM);
    case reduce_scatterv:
        return DEED(reduce_scatterv, s, static_cast<void *>(r), parts.data(), type, XCOLL_SUM);
    case allgather:
        return DEED(allgather, s, n, static_cast<void *>(r), type);
    case allgatherv:
        return DEED(allgatherv, s, own, static_cast<void *>(r), ins.data(), in_at.data(), type);
    case alltoall:
        return DEED(alltoall, s, static_cast<void *>(r), n, type);
    case alltoallv:
        return DEED(alltoallv, s, outs.data(), out_at.data(), static_cast<void *>(r), ins.data(), in_at.data(), type);
    case allgather_dyn:
        return DEED(allgather_dyn, s, given_.data(), static_cast<void *>(r), found_.data(), most(), packed_, type);
    case alltoall_dyn:
        return DEED(alltoall_dyn, s, given_.data(), static_cast<void *>(r), found_.data(), most(), type);
    case gather:
        return DEED(gather, s, n, static_cast<void *>(r), type, root_);
    case gatherv:
        return DEED(gatherv, s, own, static_cast<void *>(r), ins.data(), in_at.data(), type, root_);
    case scatter:
        return DEED(scatter, s, static_cast<void *>(r), n, type, root_);
    case scatterv:
        return DEED(scatterv, s, outs.data(), out_at.data(), static_cast<void *>(r), in_[0].count, type, root_);
    case scan:
        return DEED(scan, s, static_cast<void *>(r), n, type, XCOLL_SUM);
    case exscan:
        return DEED(exscan, s, static_cast<void *>(r), n, type, XCOLL_SUM);
    default:
        break;
    }
#undef DEED
    switch (form) {
    case blocking:
        return xcoll_barrier(comm);
    case immediate:
        return xcoll_ibarrier(comm, request);
    case persistent:
        return xcoll_barrier_init(comm, request);
    default:
        return xcoll_barrier_enqueue(comm, nullptr);
    }
}

} // namespace deeds

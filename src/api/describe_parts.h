// The same for the operations whose parts differ from rank to rank, in size, place or type.
#pragma once

#include "core/comm.h"

namespace xcoll::api::describe {

// What the root gives as its own side of a call, whose other side has a part of every rank: one address for both is in
// place, wherever in the whole its own part lies.
template <class Pointer> Pointer own_side(const Comm &comm, int root, Pointer own, const void *whole) {
    return comm.team().rank == root && own == whole ? XCOLL_IN_PLACE : own;
}

void reduce_scatterv(Call &call, const Comm &comm, const void *send, void *recv, const size_t *recvcounts,
                     xcoll_dtype_t dtype, xcoll_op_t op);
void allgatherv(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv, const size_t *recvcounts,
                const size_t *displs, xcoll_dtype_t dtype);
void alltoallv(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *sdispls,
               void *recv, const size_t *recvcounts, const size_t *rdispls, xcoll_dtype_t dtype);
void gatherv(Call &call, const Comm &comm, const void *send, size_t sendcount, void *recv, const size_t *recvcounts,
             const size_t *displs, xcoll_dtype_t dtype, int root);
void scatterv(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *displs,
              void *recv, size_t recvcount, xcoll_dtype_t dtype, int root);
void send(Call &call, const Comm &comm, const void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag);
void recv(Call &call, const Comm &comm, void *buf, size_t count, xcoll_dtype_t dtype, int peer, int tag);
void sendrecv(Call &call, const Comm &comm, const void *send, size_t sendcount, int dest, int sendtag, void *recv,
              size_t recvcount, int source, int recvtag, xcoll_dtype_t dtype);
void allgather_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                     void *recv, size_t recvcount, xcoll_dtype_t recvtype);
void alltoall_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype,
                    void *recv, size_t recvcount, xcoll_dtype_t recvtype);
void gather_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                  size_t recvcount, xcoll_dtype_t recvtype, int root);
void scatter_typed(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                   size_t recvcount, xcoll_dtype_t recvtype, int root);
void allgatherw(Call &call, const Comm &comm, const void *send, size_t sendcount, xcoll_dtype_t sendtype, void *recv,
                const size_t *recvcounts, const size_t *rdispls_bytes, const xcoll_dtype_t *recvtypes);
void alltoallw(Call &call, const Comm &comm, const void *send, const size_t *sendcounts, const size_t *sdispls_bytes,
               const xcoll_dtype_t *sendtypes, void *recv, const size_t *recvcounts, const size_t *rdispls_bytes,
               const xcoll_dtype_t *recvtypes);
void allgather_dyn(Call &call, const Comm &comm, const void *send, const uint64_t *sendcount, void *recv,
                   uint64_t *recvcounts, size_t max_count, int packed, xcoll_dtype_t dtype);
void alltoall_dyn(Call &call, const Comm &comm, const void *send, const uint64_t *sendcounts, void *recv,
                  uint64_t *recvcounts, size_t max_count, xcoll_dtype_t dtype);
void reshard(Call &call, const Comm &comm, const void *send, void *recv, const xcoll_tensor_t *tensor, int from_dim,
             int to_dim);

} // namespace xcoll::api::describe

// Memory that peers can reach.
#include "api/handle.h"

using namespace xcoll::api;
using xcoll::fail;

namespace {

void check_address(const void *ptr) {
    if (!ptr) {
        fail(XCOLL_ERR_ARGUMENT, "ptr is NULL: expected the address of some memory");
    }
}

} // namespace

extern "C" {

xcoll_result_t xcoll_mem_alloc(xcoll_comm_t comm, size_t bytes, void **ptr) {
    return guarded(__func__, [&] {
        void *&memory = out(ptr, "ptr");
        memory = nullptr;
        const xcoll::Membership &membership = checked(comm).membership();
        if (bytes > 0) {
            memory = xcoll::process().memory().take(membership.node, bytes);
        }
    });
}

xcoll_result_t xcoll_mem_free(xcoll_comm_t comm, void *ptr) {
    return guarded(__func__, [&] {
        check_not_forked();
        if (comm != XCOLL_COMM_NULL) {
            checked(comm);
        }
        if (ptr && !xcoll::process().memory().give(ptr)) {
            fail(XCOLL_ERR_ARGUMENT,
                 "ptr is %p, where no memory of xcoll_mem_alloc begins: expected what it has returned, once", ptr);
        }
    });
}

xcoll_result_t xcoll_mem_register(xcoll_comm_t comm, void *ptr, size_t bytes, uint32_t flags) {
    return guarded(__func__, [&] {
        xcoll::Comm &on = checked(comm);
        check_address(ptr);
        if (bytes == 0 || bytes > ~reinterpret_cast<uintptr_t>(ptr) || flags != 0) {
            fail(XCOLL_ERR_ARGUMENT, "bytes is %zu and flags is %#x: expected some memory, and 0", bytes, flags);
        }
        if (!on.registrations().add(ptr, bytes)) {
            fail(XCOLL_ERR_ARGUMENT, "memory that begins at %p is registered on this communicator already", ptr);
        }
    });
}

xcoll_result_t xcoll_mem_deregister(xcoll_comm_t comm, void *ptr) {
    return guarded(__func__, [&] {
        if (!checked(comm).registrations().remove(ptr)) {
            fail(XCOLL_ERR_ARGUMENT, "ptr is %p, where no memory begins that is registered on this communicator", ptr);
        }
    });
}

xcoll_result_t xcoll_mem_peer(xcoll_comm_t comm, const void *ptr, int rank, void **peer) {
    return guarded(__func__, [&] {
        void *&address = out(peer, "peer");
        address = nullptr;
        const xcoll::Comm &of = checked(comm);
        const xcoll::Membership &membership = of.membership();
        check_address(ptr);
        if (rank < 0 || rank >= of.team().size) {
            fail(XCOLL_ERR_ARGUMENT, "rank is %d: expected 0 to %d", rank, of.team().size - 1);
        }
        const int there = membership.peers[static_cast<size_t>(rank)].node_rank;
        if (rank == of.team().rank) {
            address = const_cast<void *>(ptr);
        } else if (there >= 0 && membership.node->heap().holds(ptr)) {
            address = membership.node->at_peer(there, ptr);
        }
    });
}
}

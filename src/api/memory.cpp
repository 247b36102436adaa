// Memory that peers can reach.
#include "api/handle.h"
#include "api/validate.h"

using namespace xcoll::api;
using xcoll::fail;

namespace {

// Takes nothing from the caller but what it may dereference.
const void *checked_memory(const void *ptr, size_t bytes) {
    if (!ptr || bytes == 0) {
        fail(XCOLL_ERR_ARGUMENT, "ptr is %p and bytes is %zu: expected the address and the size of some memory", ptr,
             bytes);
    }
    return ptr;
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
        checked_memory(ptr, bytes);
        if (flags != 0) {
            fail(XCOLL_ERR_ARGUMENT, "flags is %#x: expected 0", flags);
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
        checked_memory(ptr, 1);
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

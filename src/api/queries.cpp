// Questions about a communicator that take more than a number to answer.
#include <algorithm>
#include <cstring>

#include "api/handle.h"
#include "core/describe.h"

using namespace xcoll::api;
using xcoll::Comm;
using xcoll::fail;
using xcoll::Peer;

extern "C" {

xcoll_result_t xcoll_comm_translate_rank(xcoll_comm_t from, int rank, xcoll_comm_t to, int *translated) {
    return guarded(__func__, [&] {
        out(translated, "translated") = XCOLL_UNDEFINED;
        const xcoll::Membership &there = checked(from, "from").membership();
        const xcoll::Membership &here = checked(to, "to").membership();
        if (rank == XCOLL_NO_RANK) {
            *translated = XCOLL_NO_RANK;
            return;
        }
        if (rank < 0 || rank >= static_cast<int>(there.peers.size())) {
            fail(XCOLL_ERR_ARGUMENT, "rank %d is not a rank of from: expected 0 to %zu, or XCOLL_NO_RANK", rank,
                 there.peers.size() - 1);
        }
        // Communicators of one start number their ranks alike.
        const int wanted = there.peers[static_cast<size_t>(rank)].net_rank;
        const auto same = [&](const Peer &peer) { return there.node == here.node && peer.net_rank == wanted; };
        const auto found = std::find_if(here.peers.begin(), here.peers.end(), same);
        if (found != here.peers.end()) {
            *translated = static_cast<int>(found - here.peers.begin());
        }
    });
}

xcoll_result_t xcoll_comm_failed_ranks(xcoll_comm_t comm, size_t *count, int ranks[]) {
    return guarded(__func__, [&] {
        const Comm &of = checked(comm);
        const size_t room = ranks ? out(count, "count") : 0;
        out(count, "count") = 0;
        for (int p = 0; p < of.team().size; ++p) {
            if (!of.has_died(p)) {
                continue;
            }
            if (*count < room) {
                ranks[*count] = p;
            }
            ++*count;
        }
    });
}

xcoll_result_t xcoll_comm_describe(xcoll_comm_t comm, char *json, size_t *len) {
    return guarded(__func__, [&] {
        const std::string text = xcoll::describe(checked(comm));
        const size_t room = json ? out(len, "len") : 0;
        out(len, "len") = text.size() + 1;
        if (room > 0) {
            const size_t fits = std::min(room - 1, text.size());
            std::memcpy(json, text.data(), fits);
            json[fits] = '\0';
        }
    });
}
}

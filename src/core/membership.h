// What a communicator is made of: its ranks, what they share, and its settings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "fabric/net.h"
#include "fabric/node.h"
#include "topo/topology.h"

namespace xcoll {

// What a rank of a communicator is to this one.
struct Peer {
    int node_rank; // on this machine, -1: on another
    int net_rank;  // in the job that xcoll_init or xcoll_comm_create made
    Place place;
};

struct Membership {
    std::shared_ptr<Node> node;
    std::shared_ptr<Net> net; // nullptr if nobody needs it
    std::vector<Peer> peers;
    int rank = 0;
    bool is_internal = false;     // of the library's own: no user has it
    std::vector<uint64_t> boards; // by rank; empty unless all share memory
    uint64_t net_id = 0;          // the communicator's number on the net
    Settings settings;
    std::string name;
    std::string start; // how the ranks found each other, for people
    std::shared_ptr<const Topology> topology;

    bool shares_memory() const {
        return !boards.empty();
    }
    bool are_all_here() const {
        return std::all_of(peers.begin(), peers.end(), [](const Peer &peer) { return peer.node_rank >= 0; });
    }
};

} // namespace xcoll

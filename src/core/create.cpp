#include "core/create.h"

#include <algorithm>
#include <cstring>

#include "boot/host.h"
#include "core/agreed.h"
#include "core/process.h"
#include "core/spare_board.h"
#include "topo/topology.h"

namespace xcoll {

namespace {

// What a rank may fail at by itself, at the start.
enum class Deed : uint32_t { none, trace, topology };
constexpr const char *deed_names[] = {"", "write its trace", "describe its machine"};

// What every rank tells every rank before anything is connected.
struct Hello {
    Agreed agreed;
    HostIdentity host;
    uint64_t l2_bytes; // 0: unknown
    uint32_t shares_memory;
    Deed failed;
};

struct Obstacle {
    Deed failed = Deed::none;
    std::optional<Failure> why;
};
Obstacle prepare(const Settings &settings, int rank, Topology &topology) {
    Deed deed = Deed::trace;
    try {
        process().traces().open(settings.trace, rank, settings.trace_events);
        deed = Deed::topology;
        topology = find_topology(settings);
        return {};
    } catch (...) {
        return {deed, caught()};
    }
}

std::vector<Hello> exchange_hellos(Bootstrap &boot, const Settings &settings, Topology &topology) {
    Hello mine{};
    mine.agreed = agreed_of(settings);
    mine.host = host_identity();
    mine.shares_memory = settings.shm ? 1 : 0;
    const Obstacle obstacle = prepare(settings, boot.rank(), topology);
    mine.failed = obstacle.failed;
    mine.l2_bytes = topology.machine.l2_bytes;
    std::vector<Hello> all(static_cast<size_t>(boot.size()));
    boot.allgather(&mine, all.data(), sizeof mine);
    if (obstacle.why) {
        throw Failure(*obstacle.why);
    }
    for (size_t r = 0; r < all.size(); ++r) {
        if (all[r].failed != Deed::none) {
            fail(XCOLL_ERR_CONFIG, "rank %zu cannot %s: see the error on that rank", r,
                 deed_names[static_cast<size_t>(all[r].failed)]);
        }
        check_agreed(static_cast<int>(r), all[r].agreed, 0, all[0].agreed, settings);
    }
    return all;
}

std::vector<int> ranks_beside(const std::vector<Hello> &hellos, int rank) {
    std::vector<int> locals;
    const Hello &mine = hellos[static_cast<size_t>(rank)];
    for (int r = 0; r < static_cast<int>(hellos.size()); ++r) {
        const Hello &other = hellos[static_cast<size_t>(r)];
        if (r == rank || (mine.shares_memory && other.shares_memory && other.host == mine.host)) {
            locals.push_back(r);
        }
    }
    return locals;
}

// Rings have one size on all ranks of a machine, whose processors may differ, and who may have been told differently.
size_t smallest_l2(const std::vector<Hello> &hellos, const std::vector<int> &locals) {
    size_t smallest = 0;
    for (const int rank : locals) {
        const size_t bytes = hellos[static_cast<size_t>(rank)].l2_bytes;
        smallest = smallest == 0 || (bytes != 0 && bytes < smallest) ? bytes : smallest;
    }
    return smallest;
}

std::vector<Peer> make_peers(int size, const std::vector<int> &locals, const Node &node) {
    std::vector<Peer> peers;
    for (int r = 0; r < size; ++r) {
        peers.push_back({-1, r, Place{}});
    }
    for (int i = 0; i < static_cast<int>(locals.size()); ++i) {
        Peer &peer = peers[static_cast<size_t>(locals[static_cast<size_t>(i)])];
        peer.node_rank = i;
        peer.place = node.member(i).place;
    }
    return peers;
}

} // namespace

Settings settings_of(const Wishes &wishes) {
    Settings settings = wishes.settings;
    if (wishes.timeout_ms != 0) {
        give_timeout(settings, wishes.timeout_ms);
    }
    return settings;
}

void apply(Membership &membership, const Wishes &wishes) {
    membership.settings = settings_of(wishes);
    membership.name = wishes.name;
    membership.is_internal = wishes.is_internal;
}

std::unique_ptr<Comm> connect(Bootstrap &boot, const Wishes &wishes) {
    process().watch_forks();
    Membership membership;
    apply(membership, wishes);
    membership.rank = boot.rank();
    membership.start = boot.how();
    const auto topology = std::make_shared<Topology>();
    membership.topology = topology;
    const std::vector<Hello> hellos = exchange_hellos(boot, wishes.settings, *topology);
    const std::vector<int> locals = ranks_beside(hellos, boot.rank());
    topology->machine.l2_bytes = smallest_l2(hellos, locals);
    membership.node = connect_node(boot, locals, topology->machine, wishes.settings.shm_budget, wishes.settings.heap,
                                   wishes.settings.attach != Attach::off);
    membership.peers = make_peers(boot.size(), locals, *membership.node);
    std::optional<SpareBoard> board;
    if (membership.are_all_here()) {
        const uint64_t mine = board.emplace(membership.node, boot.size()).offset();
        membership.boards.resize(static_cast<size_t>(boot.size()));
        boot.allgather(&mine, membership.boards.data(), sizeof mine);
    } else {
        membership.net = Net::connect(boot, wishes.settings.plugin_path);
        membership.net_id = membership.net->first_id();
    }
    auto comm = std::make_unique<Comm>(std::move(membership));
    if (board) {
        board->keep();
    }
    return comm;
}

std::unique_ptr<Comm> connect_by_ids(std::span<const xcoll_unique_id_t> ids, int rank, int size, const Wishes &wishes) {
    return connect(*boot_ids(process().own_ids(), process().cryptos(), ids, rank, size, settings_of(wishes)), wishes);
}

std::vector<std::unique_ptr<Comm>> connect_thread_ranks(int size, const Wishes &wishes) {
    process().watch_forks();
    process().traces().open(wishes.settings.trace, 0, wishes.settings.trace_events);
    const auto topology = std::make_shared<const Topology>(find_topology(wishes.settings));
    const std::vector<std::shared_ptr<Node>> nodes =
        connect_threads(size, topology->machine, wishes.settings.shm_budget, wishes.settings.heap);
    std::vector<int> locals(static_cast<size_t>(size));
    std::vector<uint64_t> boards;
    for (size_t i = 0; i < nodes.size(); ++i) {
        locals[i] = static_cast<int>(i);
        boards.push_back(nodes[i]->take_board(size).offset);
    }
    std::vector<std::unique_ptr<Comm>> comms;
    for (int i = 0; i < size; ++i) {
        Membership membership;
        apply(membership, wishes);
        membership.rank = i;
        membership.node = nodes[static_cast<size_t>(i)];
        membership.peers = make_peers(size, locals, *membership.node);
        membership.boards = boards;
        membership.start = "threads";
        membership.topology = topology;
        comms.push_back(std::make_unique<Comm>(std::move(membership)));
    }
    return comms;
}

} // namespace xcoll

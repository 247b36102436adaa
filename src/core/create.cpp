#include "core/create.h"

#include <algorithm>
#include <cstring>

#include "boot/host.h"
#include "core/agreed.h"
#include "core/process.h"
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

bool all_here(const std::vector<Peer> &peers) {
    return std::all_of(peers.begin(), peers.end(), [](const Peer &peer) { return peer.node_rank >= 0; });
}

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

// Whoever started this process says more about its job than variables that it may have inherited.
std::unique_ptr<Bootstrap> find_job(const Settings &settings) {
    if (auto launcher = boot_launcher()) {
        return launcher;
    }
    if (auto environment = boot_environment(process().cryptos(), settings)) {
        return environment;
    }
    return boot_alone();
}

// A board for a communicator that turns out not to need it, or to fail, goes back; peers that have theirs learn of it.
class SpareBoard {
public:
    SpareBoard(std::shared_ptr<Node> node, int ranks)
        : node_(std::move(node)), offset_(node_->take_board(ranks).offset) {
    }
    ~SpareBoard() {
        if (offset_) {
            node_->give_board(offset_);
        }
    }
    SpareBoard(const SpareBoard &) = delete;
    SpareBoard &operator=(const SpareBoard &) = delete;
    uint64_t offset() const {
        return offset_;
    }
    void keep() {
        offset_ = 0;
    }

private:
    std::shared_ptr<Node> node_;
    uint64_t offset_;
};

} // namespace

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
    if (all_here(membership.peers)) {
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

namespace {

// What every rank of the parent tells every rank; small enough for the inline part of a head.
struct SplitWords {
    int32_t color, key;
    uint64_t board;  // 0: none
    Agreed agreed;   // of the child's settings
    uint32_t net_id; // the lowest number that is free here
    uint16_t is_dup;
    uint16_t ok;
};
static_assert(sizeof(SplitWords) <= first_line_bytes);

void exchange(Comm &parent, const SplitWords &mine, std::vector<SplitWords> &all) {
    Call call;
    Op &op = call.op;
    op.kind = Kind::words;
    op.signature = mine.is_dup != 0 ? dup_signature : 0;
    op.dtype = Dtype::uint8;
    op.count = sizeof mine;
    op.send = &mine;
    op.recv = all.data();
    parent.run(call);
}

// Throws on every rank of this color if one of them has a failure.
void agree(Comm &parent, SplitWords mine, const std::optional<Failure> &failure, std::vector<SplitWords> &all) {
    mine.ok = failure ? 0 : 1;
    exchange(parent, mine, all);
    if (failure) {
        throw *failure;
    }
    const auto bad = std::find_if(all.begin(), all.end(),
                                  [&](const SplitWords &words) { return words.color == mine.color && words.ok == 0; });
    if (bad != all.end()) {
        const auto rank = static_cast<int>(bad - all.begin());
        fail_at(rank, XCOLL_ERR_NO_MEMORY,
                "rank %d could not make its communicator: mend what the error on that rank says, and call again on all",
                rank);
    }
}

std::vector<int> members_of(const std::vector<SplitWords> &all, int color) {
    std::vector<int> members;
    for (int r = 0; r < static_cast<int>(all.size()); ++r) {
        if (all[static_cast<size_t>(r)].color == color) {
            members.push_back(r);
        }
    }
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return all[static_cast<size_t>(a)].key < all[static_cast<size_t>(b)].key; });
    return members;
}

// What those of the ranks that want the same have in common.
Membership child_of(const Comm &parent, const std::vector<SplitWords> &all, const SplitWords &mine,
                    const Wishes &wishes) {
    const Membership &from = parent.membership();
    Membership child;
    child.node = from.node;
    child.net = from.net;
    child.start = from.start;
    child.topology = from.topology;
    apply(child, wishes);
    for (const int member : members_of(all, mine.color)) {
        const SplitWords &words = all[static_cast<size_t>(member)];
        check_agreed(member, words.agreed, parent.team().rank, mine.agreed, wishes.settings);
        if (member == parent.team().rank) {
            child.rank = static_cast<int>(child.peers.size());
        }
        child.peers.push_back(from.peers[static_cast<size_t>(member)]);
        child.boards.push_back(words.board);
        child.net_id = std::max(child.net_id, words.net_id);
    }
    if (from.net) {
        from.net->take_id(child.net_id);
    }
    if (!all_here(child.peers)) {
        child.boards.clear();
    }
    return child;
}

std::unique_ptr<Comm> make_child(Comm &parent, SplitWords mine, const Wishes &wishes) {
    const Membership &from = parent.membership();
    const bool joins = mine.color != XCOLL_UNDEFINED;
    std::vector<SplitWords> all, agreed;
    std::optional<Failure> failure;
    std::optional<SpareBoard> board;
    try {
        all.resize(static_cast<size_t>(parent.team().size));
        agreed.resize(all.size());
    } catch (...) {
        parent.refuse(); // without room for what the peers say
        throw;
    }
    try {
        mine.agreed = agreed_of(wishes.settings);
        mine.net_id = from.net ? from.net->next_id() : 0;
        if (joins) {
            board.emplace(from.node, std::min(parent.team().size, 2));
            mine.board = board->offset();
        }
    } catch (...) {
        failure = caught();
    }
    agree(parent, mine, failure, all);
    std::unique_ptr<Comm> comm;
    try {
        if (joins) {
            Membership child = child_of(parent, all, mine, wishes);
            if (child.peers.size() != 2) {
                from.node->narrow_board(mine.board);
            }
            comm = std::make_unique<Comm>(std::move(child));
            if (comm->membership().shares_memory()) {
                board->keep();
            }
        }
    } catch (...) {
        failure = caught();
    }
    agree(parent, mine, failure, agreed);
    return comm;
}

} // namespace

std::unique_ptr<Comm> split(Comm &parent, int color, int key, const Wishes &wishes) {
    return make_child(parent, {color, key, 0, {}, 0, 0, 1}, wishes);
}

std::unique_ptr<Comm> dup(Comm &parent, const Wishes &wishes) {
    return make_child(parent, {0, parent.team().rank, 0, {}, 0, 1, 1}, wishes);
}

Wishes inherited(const Comm &parent) {
    return {parent.membership().settings, parent.membership().name, 0};
}

std::unique_ptr<Comm> world(const Wishes &wishes) {
    Process::Job &job = process().job();
    const std::lock_guard lock(job.mutex);
    if (!job.world) {
        Wishes own = wishes;
        own.is_internal = true;
        job.world = connect(*find_job(settings_of(wishes)), own);
    }
    try {
        std::unique_ptr<Comm> comm = dup(*job.world, wishes);
        ++job.users;
        return comm;
    } catch (...) {
        if (job.users == 0) {
            job.world.reset(); // nobody would give it back, and it may be what failed
        }
        throw;
    }
}

bool release_world() {
    Process::Job &job = process().job();
    const std::lock_guard lock(job.mutex);
    if (job.users == 0) {
        return false;
    }
    if (--job.users == 0) {
        job.world.reset();
    }
    return true;
}

} // namespace xcoll

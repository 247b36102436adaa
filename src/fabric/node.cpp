#include "fabric/node.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/page.h"
#include "boot/packet.h"
#include "fabric/attach.h"
#include "fabric/window.h"
#include "topo/cpu_set.h"

namespace xcoll {

namespace {

constexpr size_t header_bytes = 4096;
// Boards that have memory from the start; more is added to the file as communicators are made.
constexpr size_t boards_at_start = 4;
// Address space for boards and lanes, without memory behind it: some 10 000 live communicators.
constexpr size_t board_space = size_t{320} << 20;

size_t heap_first(const NodeSizes &sizes) {
    const size_t end = header_bytes + sizes.ring_bytes + board_space;
    return (end + longest_page - 1) / longest_page * longest_page;
}
size_t segment_bytes(const NodeSizes &sizes) {
    return heap_first(sizes) + sizes.heap_bytes;
}
size_t reserved_bytes(const NodeSizes &sizes) {
    return header_bytes + sizes.ring_bytes + boards_at_start * sizeof(Board);
}

std::vector<Bed *> beds_of(const std::vector<Node::Member> &members) {
    std::vector<Bed *> beds;
    for (const Node::Member &member : members) {
        beds.push_back(&member.segment->header().bed);
    }
    return beds;
}

constexpr size_t mib = size_t{1} << 20;

// Measured in slots of 32 to 512 KiB. On a Xeon with L2s of 2 MiB blocks of 16 KiB wait too often, and slots longer
// than 128 KiB leave the nearer cache. On a Zen 4 with L2s of 1 MiB slots of 256 KiB are better: across two L3s
// all-gathers, all-to-alls, allreduces and reduce-scatters of 256 and 512 KiB take 0.75 to 1.05 of the time then, of
// 1 MiB 0.65 to 1.1, under one L3 0.8 to 1.05 (uneven all-gathers 1.1); still longer slots gain no more.
size_t best_wide_slot(size_t l2_bytes) {
    return is_middling_l2(l2_bytes) ? mib / 4 : mib / 8;
}

} // namespace

NodeSizes node_sizes(size_t budget_bytes, size_t l2_bytes, int local_ranks) {
    // Twice the L2: a line comes round again after the peer's L2 has dropped it. But no more than helps anywhere: with
    // L2s of 2 MiB a ring of 4 MiB was a third slower than one of 2 MiB, as it pushed the messages themselves out.
    constexpr size_t usual_l2 = mib, largest = 2 * mib;
    constexpr size_t smallest = size_t{64} << 10, granule = size_t{64} << 10;
    const size_t wanted = std::min(2 * (l2_bytes ? l2_bytes : usual_l2), largest);
    const size_t share = budget_bytes / static_cast<size_t>(local_ranks);
    // What programs add to that: the lanes of messages, what the recorder shows, and memory that is there before it is
    // needed (arena.cpp), and some more communicators.
    constexpr size_t usually_added = size_t{224} << 10, boards_added = 6;
    const size_t others = header_bytes + (boards_at_start + boards_added) * sizeof(Board) + usually_added;
    const size_t room = share > others ? share - others : 0;
    // Messages of users take half as much again, on the first communicator that has some.
    const size_t ring = std::max(std::min(wanted, room / 3 * 2) / granule * granule, smallest), blocks = ring / 2;
    // Half of what is left is for wide slots, a quarter for messages on more communicators, and the rest for their
    // boards. Those that come and go reuse what others had. However large the budget is, boards find address space.
    const bool has_blocks = ring + blocks <= room;
    const size_t left = has_blocks ? std::min(room - ring - blocks, board_space / 2) : 0;
    const size_t slot = best_wide_slot(l2_bytes);
    return {.ring_bytes = ring,
            .wide_slot_bytes = slot,
            .wide_pairs = left / 2 / room_of_wide_slots(slot),
            .block_bytes = blocks,
            .block_pools = has_blocks ? 1 + left / 4 / blocks : 0,
            .l2_bytes = l2_bytes};
}

Node::Node(std::vector<Member> members, int me, const NodeSizes &sizes, int processors, bool barriers, Descriptor file)
    : members_(std::move(members)), beds_(beds_of(members_)), me_(me), processors_(processors), sizes_(sizes),
      doorbell_(&members_[0].segment->header().sleepers, beds_.data(), ranks(), me, barriers),
      arena_(base(me), header_bytes + sizes.ring_bytes, reserved_bytes(sizes), heap_first(sizes), std::move(file)),
      ring_(header_bytes, sizes.ring_bytes), heap_(base(me), heap_first(sizes), sizes.heap_bytes, arena_.descriptor()) {
}

// Of threads that share a process none ends alone.
Node::~Node() {
    members_[static_cast<size_t>(me_)].segment->header().has_left.store(true, std::memory_order_release);
}

Node::BoardPlace Node::take_board(int ranks) {
    reclaim();
    const std::lock_guard lock(mutex_);
    if (retired_.capacity() == boards_) {
        retired_.reserve(2 * boards_ + 1);
    }
    const uint64_t offset = arena_.take(sizeof(Board));
    auto *board = reinterpret_cast<Board *>(arena_.at(offset));
    ++boards_;
    const uint64_t generation = ++generations_;
    // The generation first: peers that still look at the memory's former use see that it is over.
    board->generation.store(generation, std::memory_order_release);
    board->done.store(0);
    board->farewell.result.store(0, std::memory_order_relaxed);
    board->visiting.store(0, std::memory_order_relaxed);
    const size_t wide = room_of_wide_slots(sizes_.wide_slot_bytes);
    board->wide_slots.store(ranks == 2 ? arena_.take_if_fewer(sizes_.wide_pairs, wide) : 0, std::memory_order_relaxed);
    for (Cell &cell : board->cells) {
        new (&cell) Cell{};
    }
    return {offset, generation};
}

void Node::give_board(uint64_t offset) noexcept {
    // Windows that peers have made with it wait for no more of it.
    reinterpret_cast<Board *>(arena_.at(offset))->done.store(all_done);
    free_board(offset);
    const std::lock_guard lock(mutex_);
    --boards_;
}

void Node::narrow_board(uint64_t offset) noexcept {
    auto *board = reinterpret_cast<Board *>(arena_.at(offset));
    if (const uint64_t wide = board->wide_slots.exchange(0, std::memory_order_relaxed)) {
        arena_.give(wide, room_of_wide_slots(sizes_.wide_slot_bytes));
    }
}

void Node::free_board(uint64_t offset) noexcept {
    narrow_board(offset);
    arena_.give(offset, sizeof(Board));
}

void Node::retire(std::shared_ptr<Window> window) noexcept {
    window->close();
    {
        const std::lock_guard lock(mutex_);
        retired_.push_back(std::move(window));
    }
    reclaim();
}

void Node::reclaim() noexcept {
    const std::lock_guard lock(mutex_);
    const auto first = std::stable_partition(retired_.begin(), retired_.end(),
                                             [](const auto &window) { return !window->everyone_closed(); });
    boards_ -= static_cast<size_t>(retired_.end() - first);
    retired_.erase(first, retired_.end());
}

namespace {

// What a rank says of itself before its segment is mapped.
struct Introduction {
    ProcessIdentity process;
    uint64_t nonce;
    Place place;
    int32_t usable_processors;
    uint32_t barriers; // Doorbell::enable_barriers
    uint32_t unused;
    uint64_t ring_bytes, heap_bytes;
    uint64_t word; // the address of a word with the nonce, for attempts to attach; 0: none are wanted
    CpuSet allowed;
};

// Ranks bound to different processors use them all, whatever each may use alone; a quota counts for all.
int processors_of(const std::vector<Introduction> &all, const std::vector<int> &locals) {
    CpuSet allowed;
    int quota = CpuSet::limit;
    for (const int rank : locals) {
        const Introduction &one = all[static_cast<size_t>(rank)];
        allowed.add(one.allowed);
        if (one.usable_processors < one.allowed.count()) {
            quota = std::min(quota, one.usable_processors);
        }
    }
    return std::max(1, std::min(allowed.count(), quota));
}

bool barriers_of(const std::vector<Introduction> &all, const std::vector<int> &locals) {
    return std::all_of(locals.begin(), locals.end(),
                       [&](int rank) { return all[static_cast<size_t>(rank)].barriers != 0; });
}

// As much as the rank with the least address space can map.
size_t common_heap(const std::vector<Introduction> &all, const std::vector<int> &locals) {
    size_t bytes = ~size_t{0};
    for (const int rank : locals) {
        bytes = std::min<size_t>(bytes, all[static_cast<size_t>(rank)].heap_bytes);
    }
    return bytes;
}

// What every rank tells every rank of how it went.
enum Outcome : uint8_t { failed, connected, attached };

// Everybody learns whether everybody is well, so that all fail or none.
std::vector<uint8_t> agree(Bootstrap &boot, const std::optional<Failure> &trouble, const Outcome &outcome) {
    const uint8_t mine = trouble ? failed : outcome;
    std::vector<uint8_t> all(static_cast<size_t>(boot.size()));
    boot.allgather(&mine, all.data(), 1);
    if (trouble) {
        fail(trouble->result() == XCOLL_ERR_NO_MEMORY ? XCOLL_ERR_NO_MEMORY : XCOLL_ERR_BOOTSTRAP,
             "rank %d could not connect: %s", boot.rank(), trouble->what());
    }
    const auto bad = std::find(all.begin(), all.end(), failed);
    if (bad != all.end()) {
        fail(XCOLL_ERR_BOOTSTRAP, "rank %d could not connect to its peers; see its message",
             static_cast<int>(bad - all.begin()));
    }
    return all;
}

Introduction introduce(const Machine &machine, const NodeSizes &sizes) {
    Introduction mine{};
    mine.process = process_identity();
    mine.place = current_place(machine);
    mine.usable_processors = usable_processors();
    mine.barriers = Doorbell::enable_barriers() ? 1 : 0;
    mine.ring_bytes = sizes.ring_bytes;
    mine.heap_bytes = sizes.heap_bytes;
    mine.allowed = allowed_cpus();
    return mine;
}

// Does work(), which may change `outcome`, and tells everybody how it went: all ranks' outcomes.
template <class Work> std::vector<uint8_t> together(Bootstrap &boot, const Outcome &outcome, Work work) {
    std::optional<Failure> trouble;
    try {
        work();
    } catch (...) {
        trouble = caught();
    }
    return agree(boot, trouble, outcome);
}

// Whether this rank can read the private memory of all others, each of which has shown it a word. Empty if it can.
std::string try_to_attach_to_all(const std::vector<Introduction> &all, const std::vector<int> &locals, int rank) {
    for (const int other : locals) {
        const Introduction &peer = all[static_cast<size_t>(other)], &mine = all[static_cast<size_t>(rank)];
        if (mine.word == 0) {
            return "the ranks met with XCOLL_CMA=off";
        }
        const auto *word = reinterpret_cast<const uint64_t *>(peer.word);
        const std::string trouble = other == rank ? "" : try_to_attach(peer.process.pid, word, peer.nonce);
        if (!trouble.empty()) {
            return format("rank %d cannot read the memory of rank %d (%s): see kernel.yama.ptrace_scope, and the "
                          "seccomp profile and the capabilities of a container",
                          rank, other, trouble.c_str());
        }
    }
    return {};
}

// Nobody lends by attachment unless everybody can read it.
std::string attach_refusal(const std::string &mine, const std::vector<uint8_t> &outcomes,
                           const std::vector<int> &locals) {
    if (!mine.empty()) {
        return mine;
    }
    for (const int rank : locals) {
        if (outcomes[static_cast<size_t>(rank)] != attached) {
            return format("rank %d cannot read the memory of some rank of this machine; it can tell why", rank);
        }
    }
    return {};
}

void check_rings(const std::vector<Introduction> &all, const std::vector<int> &locals, int rank) {
    const size_t mine = all[static_cast<size_t>(rank)].ring_bytes;
    for (const int other : locals) {
        const size_t theirs = all[static_cast<size_t>(other)].ring_bytes;
        if (mine != theirs) {
            fail(XCOLL_ERR_CONFIG,
                 "rank %d has a payload ring of %zu KiB, rank %d one of %zu KiB: XCOLL_SHM_BUDGET must be the same on "
                 "all ranks",
                 rank, mine / 1024, other, theirs / 1024);
        }
    }
}

// Maps what the others made. A failure is for later: first everybody gets everything.
std::optional<Failure> map_others(Bootstrap &boot, int file, size_t bytes, const std::vector<Introduction> &all,
                                  const std::vector<int> &locals, std::vector<Segment> &segments) {
    std::optional<Failure> trouble;
    boot.exchange_descriptors(file, locals, [&](size_t i, const Descriptor &theirs) {
        if (locals[i] == boot.rank()) {
            return;
        }
        try {
            segments[i] = Segment::map(theirs.get(), all[static_cast<size_t>(locals[i])].nonce, bytes);
        } catch (...) {
            trouble = caught();
        }
    });
    return trouble;
}

std::vector<Node::Member> members_of(const std::vector<Introduction> &all, const std::vector<int> &locals, int rank,
                                     std::vector<Segment> &segments) {
    const Introduction &mine = all[static_cast<size_t>(rank)];
    std::vector<Node::Member> members;
    for (size_t i = 0; i < locals.size(); ++i) {
        const Introduction &peer = all[static_cast<size_t>(locals[i])];
        members.push_back({std::make_shared<Segment>(std::move(segments[i])), peer.process, peer.place,
                           peer.process.pid == mine.process.pid});
    }
    return members;
}

} // namespace

std::shared_ptr<Node> connect_node(Bootstrap &boot, const std::vector<int> &locals, const Machine &machine,
                                   size_t budget_bytes, size_t heap_bytes, bool attach) {
    const int ranks = static_cast<int>(locals.size());
    const auto me = std::find(locals.begin(), locals.end(), boot.rank()) - locals.begin();
    NodeSizes sizes = node_sizes(budget_bytes, machine.l2_bytes, ranks);
    sizes.heap_bytes = Heap::affordable(heap_bytes, heap_first(sizes), ranks);
    Introduction introduction = introduce(machine, sizes);
    Descriptor file;
    uint64_t word = 0;
    std::vector<Introduction> all;
    std::vector<Segment> segments;
    together(boot, connected, [&] {
        all.resize(static_cast<size_t>(boot.size()));
        segments.resize(locals.size());
        Segment &mine = segments[static_cast<size_t>(me)];
        int number = -1;
        mine = Segment::create(segment_bytes(sizes), reserved_bytes(sizes), &number);
        file = Descriptor(number);
        introduction.nonce = word = mine.header().nonce;
        introduction.word = attach ? reinterpret_cast<uintptr_t>(&word) : 0;
    });
    boot.allgather(&introduction, all.data(), sizeof introduction);
    sizes.heap_bytes = common_heap(all, locals);
    const std::optional<Failure> trouble = map_others(boot, file.get(), segment_bytes(sizes), all, locals, segments);
    std::vector<Node::Member> members;
    std::string refusal;
    Outcome outcome = connected;
    const std::vector<uint8_t> outcomes = together(boot, outcome, [&] {
        check_rings(all, locals, boot.rank());
        if (trouble) {
            throw Failure(*trouble);
        }
        members = members_of(all, locals, boot.rank(), segments);
        refusal = try_to_attach_to_all(all, locals, boot.rank());
        outcome = refusal.empty() ? attached : connected;
    });
    auto node = std::make_shared<Node>(std::move(members), static_cast<int>(me), sizes, processors_of(all, locals),
                                       barriers_of(all, locals), std::move(file));
    node->note_attach_refusal(attach_refusal(refusal, outcomes, locals));
    return node;
}

std::vector<std::shared_ptr<Node>> connect_threads(int size, const Machine &machine, size_t budget_bytes,
                                                   size_t heap_bytes) {
    NodeSizes sizes = node_sizes(budget_bytes, machine.l2_bytes, size);
    sizes.heap_bytes = Heap::affordable(heap_bytes, heap_first(sizes), size);
    const ProcessIdentity process = process_identity();
    const bool barriers = Doorbell::enable_barriers();
    std::vector<Node::Member> members;
    for (int i = 0; i < size; ++i) {
        // The threads do not exist yet, so nothing is known about their places.
        members.push_back(
            {std::make_shared<Segment>(Segment::create_private(segment_bytes(sizes))), process, Place{}, true});
    }
    std::vector<std::shared_ptr<Node>> nodes;
    for (int i = 0; i < size; ++i) {
        nodes.push_back(std::make_shared<Node>(members, i, sizes, usable_processors(), barriers, Descriptor()));
    }
    return nodes;
}

} // namespace xcoll

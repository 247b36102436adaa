// The ranks of one machine as one of them sees it: everybody's segment, my arena and payload ring, the doorbell, and
// who is alive. All communicators of a rank that came from the same start share one Node.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "fabric/arena.h"
#include "fabric/doorbell.h"
#include "fabric/heap.h"
#include "fabric/ring.h"
#include "fabric/segment.h"
#include "topo/machine.h"

namespace xcoll {

class Window;

// Sizes, from the configuration and the machine.
struct NodeSizes {
    size_t ring_bytes;     // payload ring of one rank
    size_t heap_bytes = 0; // address space of one rank's symmetric heap
    size_t wide_slot_bytes = 0;
    size_t wide_pairs = 0;  // communicators of two ranks that have such slots
    size_t block_bytes = 0; // for messages of users that do not fit into lines (post_blocks.h), on all
    size_t block_pools = 0; // communicators that have so many
    size_t l2_bytes = 0;    // of the smallest second-level cache that any rank of the machine sees; 0: unknown
};

// Of two kinds of processors that were measured, a Xeon's and those of Zen 4 and Zen 5.
inline constexpr size_t large_l2_bytes = size_t{2} << 20, middling_l2_bytes = size_t{1} << 20;
inline constexpr bool is_middling_l2(size_t bytes) {
    return bytes >= middling_l2_bytes && bytes < large_l2_bytes;
}

// budget_bytes: how much memory all ranks of a machine may use together before they make more communicators.
NodeSizes node_sizes(size_t budget_bytes, size_t l2_bytes, int local_ranks);

class Node {
public:
    struct Member {
        std::shared_ptr<Segment> segment;
        ProcessIdentity process;
        Place place;
        bool same_process;
    };
    // processors: how many all ranks together may use. barriers: see Doorbell.
    Node(std::vector<Member> members, int me, const NodeSizes &sizes, int processors, bool barriers, Descriptor file);
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
    ~Node();

    int ranks() const {
        return static_cast<int>(members_.size());
    }
    int me() const {
        return me_;
    }
    const Member &member(int i) const {
        return members_[static_cast<size_t>(i)];
    }
    char *base(int i) const {
        return member(i).segment->base();
    }
    // More ranks than processors: whoever waits must give its processor away.
    bool crowded() const {
        return ranks() > processors_;
    }
    // At least 1.
    double ranks_per_processor() const {
        return crowded() ? static_cast<double>(ranks()) / processors_ : 1;
    }
    const NodeSizes &sizes() const {
        return sizes_;
    }
    // Where it is, the kernel's single copy of what is longer than such a cache beats two through shared memory, though
    // the lines that it reads are shared from then on; where caches are smaller, only in a crowd, and there only if
    // they are small (coll/exchange_attached.cpp).
    bool has_large_l2() const {
        return sizes_.l2_bytes >= large_l2_bytes;
    }
    bool has_middling_l2() const {
        return is_middling_l2(sizes_.l2_bytes);
    }
    const Doorbell &doorbell() const {
        return doorbell_;
    }
    double ticks_per_ns() const {
        return ticks_per_ns_;
    }
    Arena &arena() {
        return arena_;
    }
    Ring &ring() {
        return ring_;
    }
    Heap &heap() {
        return heap_;
    }
    // What lies at the same place of another rank's heap.
    void *at_peer(int i, const void *mine) const {
        return base(i) + heap_.first() + heap_.offset(mine);
    }
    // Why ranks of this machine cannot read each other's private memory; empty if they all can (attach.h).
    const std::string &attach_refusal() const {
        return attach_refusal_;
    }
    void note_attach_refusal(std::string refusal) {
        attach_refusal_ = std::move(refusal);
    }
    bool is_alive(int i) const {
        return member(i).same_process || xcoll::is_alive(member(i).process);
    }

    // It has freed all communicators, so that its process may end.
    bool has_left(int i) const {
        return member(i).segment->header().has_left.load(std::memory_order_acquire);
    }

    // An empty board of my own: its offset and generation, to be told to the peers.
    struct BoardPlace {
        uint64_t offset, generation;
    };
    // ranks: of the communicator, or 2 if that may turn out to be their number.
    BoardPlace take_board(int ranks);
    // It turned out otherwise.
    void narrow_board(uint64_t offset) noexcept;
    // Memory of sizes().block_bytes for one communicator, as far as the budget goes; 0: there is none.
    uint64_t take_blocks() {
        return arena_.take_if_fewer(sizes_.block_pools, sizes_.block_bytes);
    }
    // One that no window of mine was made for.
    void give_board(uint64_t offset) noexcept;
    // The memory of one that nobody looks at any more.
    void free_board(uint64_t offset) noexcept;
    // Keeps a freed window until its memory can be used again, and reuses what can be.
    void retire(std::shared_ptr<Window> window) noexcept;
    void reclaim() noexcept;

private:
    std::vector<Member> members_;
    std::vector<Bed *> beds_;
    int me_, processors_;
    const NodeSizes sizes_;
    Doorbell doorbell_;
    Arena arena_;
    Ring ring_;
    Heap heap_;
    std::string attach_refusal_ = "the ranks share one process";
    const double ticks_per_ns_ = measure_ticks_per_ns();
    std::mutex mutex_;
    uint64_t generations_ = 0;
    size_t boards_ = 0; // taken and not given back
    // With room for the windows of all boards. Last: windows give back what they hold of the members above.
    std::vector<std::shared_ptr<Window>> retired_;
};

// Connects the ranks `locals` (ranks of `boot` on this machine, ascending, this one among them). Collective over all
// ranks of boot. Every rank either succeeds or throws. attach: whether this rank may try to read the others' private
// memory and lets them try its own.
std::shared_ptr<Node> connect_node(Bootstrap &boot, const std::vector<int> &locals, const Machine &machine,
                                   size_t budget_bytes, size_t heap_bytes, bool attach);
// `size` ranks in this process; nodes[i] is rank i's view.
std::vector<std::shared_ptr<Node>> connect_threads(int size, const Machine &machine, size_t budget_bytes,
                                                   size_t heap_bytes = 0);

} // namespace xcoll

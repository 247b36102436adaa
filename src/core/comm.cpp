#include "core/comm.h"

#include <algorithm>
#include <numeric>

#include "base/digest.h"
#include "core/owner.h"
#include "core/process.h"
#include "fabric/board.h"
#include "fabric/window_transport.h"

namespace xcoll {

namespace {

// Whoever is asked what it waits for tells the oldest of all operations that have a cell.
static_assert(flight::beside_count >= cell_count);

std::vector<int> node_ranks(const Membership &membership) {
    std::vector<int> ranks;
    for (const Peer &peer : membership.peers) {
        ranks.push_back(peer.node_rank);
    }
    return ranks;
}

CopyWay::Rule copies(const Settings &settings) {
    switch (settings.store) {
    case Store::cached:
        return CopyWay::Rule::plain;
    case Store::string:
        return CopyWay::Rule::string;
    case Store::stream:
        return CopyWay::Rule::stream;
    default:
        return CopyWay::Rule::learn;
    }
}

// One copy by the kernel, and not two through shared memory, measured with two ranks of a Xeon (XCOLL_CMA=on and off):
// exchanged messages of 1 MiB take 0.8 of the time and of 4 MiB 0.6, but of 64 to 256 KiB 1.0 to 1.3 times as long, and
// messages there and back 1.2 to 1.6 times. On a Zen 4, with smaller caches, those of 1 MiB take 1.4 times as long
// under one L3, and 6 times across two, as writing the data again is dear. With more ranks than processors, each step
// through shared memory may wait for a processor: all that wait for their receives in any case take 0.65 to 0.95 of the
// time by the kernel, any way. But on a Zen 5, whose caches of 1 MiB hold both copies, exchanges of 80 KiB to 1 MiB
// take 1.5 to 1.9 times as long with 4 and with 8 ranks on two cores, and messages there and back 1.0 to 1.75 times.
AttachedMessages attached_messages(const Membership &membership) {
    const Attach attach = membership.settings.attach;
    if (attach == Attach::off || !membership.node->attach_refusal().empty()) {
        return {};
    }
    if (attach == Attach::on) {
        return {post_letter + 1, true};
    }
    if (membership.node->crowded() && !membership.node->has_middling_l2()) {
        return {post_letter + 1, true};
    }
    return membership.node->has_large_l2() ? AttachedMessages{size_t{1} << 20, false} : AttachedMessages{};
}

std::shared_ptr<Window> make_window(const Membership &membership) {
    if (!membership.shares_memory()) {
        return nullptr;
    }
    auto window = std::make_shared<Window>(*membership.node, node_ranks(membership), membership.boards, membership.rank,
                                           copies(membership.settings));
    window->keep_board(false);
    window->lend_from(membership.settings.lend);
    window->lend_private();
    window->attach_messages(attached_messages(membership));
    if (processor_demotes() && membership.settings.store == Store::learn) {
        window->demotion().allow();
    }
    return window;
}

std::unique_ptr<Transport> make_transport(const Membership &membership, Window *window,
                                          const std::vector<Preference> &preferences) {
    if (window) {
        return want_transport(preferences) ? std::make_unique<WindowTransport>(*window) : nullptr;
    }
    std::vector<int> ranks;
    for (const Peer &peer : membership.peers) {
        ranks.push_back(peer.net_rank);
    }
    return membership.net->open(membership.net_id, membership.rank, ranks);
}

// Groups are for ranks of one machine, and may not show if placement may not.
Order make_order(const Membership &membership) {
    const bool may_show = membership.settings.determinism < Determinism::layout;
    return membership.shares_memory() && may_show ? Order::groups : Order::tree;
}

Grouping make_grouping(const Membership &membership) {
    const Settings &settings = membership.settings;
    if (settings.groups == "none" || make_order(membership) != Order::groups) {
        return one_group(static_cast<int>(membership.peers.size()));
    }
    if (!settings.group_sizes.empty()) {
        std::vector<int> node_ranks;
        for (const Peer &peer : membership.peers) {
            node_ranks.push_back(peer.node_rank);
        }
        return group_by_sizes(settings.group_sizes, node_ranks);
    }
    std::vector<Place> places;
    for (const Peer &peer : membership.peers) {
        places.push_back(peer.place);
    }
    return group_by_place(places);
}

const Kernels &make_kernels(const Settings &settings) {
    Isa isa;
    if (settings.isa.empty()) {
        return best_kernels();
    }
    const bool known = parse_isa(settings.isa.c_str(), isa);
    const Kernels *kernels = known ? kernels_for(isa) : nullptr;
    if (!kernels) {
        fail(XCOLL_ERR_CONFIG,
             "XCOLL_ISA=%s: this %s. Expected plain, avx2, avx512, neon or sve, or nothing for the best",
             settings.isa.c_str(), known ? "processor does not have it" : "is not an instruction set");
    }
    return *kernels;
}

} // namespace

Comm::Comm(Membership membership) : Comm(membership, read_preferences(membership.settings)) {
}

Comm::Comm(Membership &membership, const std::vector<Preference> &preferences)
    : membership_(std::move(membership)), chronicle_(process().flights().take()), window_(make_window(membership_)),
      messages_(make_transport(membership_, window_.get(), preferences)), team_(make_team()),
      choices_(team_, preferences),
      watcher_(*this, team_, membership_.node.get(), node_ranks(membership_), membership_.settings.timeout_ms) {
    team_.choices = &choices_;
    checks_ = membership_.settings.check;
    patience_ = membership_.node->crowded() ? patience_crowded : patience_alone;
    introduce();
    if (window_) {
        window_->keep_board(true);
    }
}

// For whoever looks from outside: the same numbers of the communicator and of the job on all ranks, and only on them.
void Comm::introduce() {
    const Node &node = *membership_.node;
    const uint64_t job = membership_.net ? membership_.net->mark() : node.member(0).segment->header().nonce;
    Digest id;
    if (window_) {
        const auto first = static_cast<size_t>(window_->node_rank(0));
        id.add(node.member(static_cast<int>(first)).segment->header().nonce).add(membership_.boards[0]);
        id.add(window_->board(0).generation.load(std::memory_order_relaxed));
    } else {
        id.add(job).add(membership_.net_id);
        id.add(static_cast<uint64_t>(membership_.peers[0].net_rank));
    }
    std::vector<int64_t> pids;
    for (const Peer &peer : membership_.peers) {
        pids.push_back(peer.node_rank >= 0 ? node.member(peer.node_rank).process.pid : 0);
    }
    recorder().introduce(
        {id.value(), team_.rank, team_.size, membership_.name, std::move(pids), membership_.is_internal});
    if (!membership_.is_internal) {
        const Settings &settings = membership_.settings;
        const int job_rank = membership_.peers[static_cast<size_t>(team_.rank)].net_rank;
        chronicle_.write_trace(
            process().traces().take(settings.trace, settings.trace_events,
                                    {id.value(), job, job_rank, team_.rank, team_.size, membership_.name}));
    }
}

Team Comm::make_team() {
    return {.rank = membership_.rank,
            .size = static_cast<int>(membership_.peers.size()),
            .window = window_.get(),
            .transport = messages_.transport(),
            .grouping = make_grouping(membership_),
            .kernels = &make_kernels(membership_.settings),
            .scratch = &scratch_,
            .determinism = membership_.settings.determinism,
            .order = make_order(membership_),
            .attach = membership_.settings.attach};
}

Comm::~Comm() {
    catch_up(); // peers may wait for what this rank passes over
    {
        const Owner owner(*this);
        const Failure why(XCOLL_ERR_ABORTED, "the communicator was freed before the operation was done", team_.rank);
        if (window_ && in_flight_.first()) {
            window_->say_farewell(why);
        }
        if (!window_) {
            messages_.transport()->say_freed();
        }
        end_in_flight(why);
    }
    process().remove(*this); // not before whoever drives it has told of what ended
    messages_.close();
    if (window_) {
        membership_.node->retire(std::move(window_));
    }
    magic_ = 0;
}

} // namespace xcoll
